// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which figures there are: the paths of the example that waveforms/summary.h makes, and what
// report/metrics.h derives from them. Nothing is listed by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::runner {

enum class FigureKind { Number, Text };

/// What is wrong with a path, with the nearest name; empty if a summary can hold such a figure.
std::string figure_problem(std::string_view path);

/// Of a path without a problem.
FigureKind kind_of_figure(std::string_view path);

/// Every path, sorted; disk0 stands for all disks, task-1 for all tasks.
std::vector<std::string> figure_paths();

}  // namespace weir::runner

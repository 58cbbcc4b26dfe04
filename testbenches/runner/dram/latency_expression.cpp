// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/latency_expression.h"

#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <vector>

namespace weir::runner {
namespace {

constexpr size_t kLongestText = 200;             // bounds the parser's depth
constexpr int64_t kLargest = 1'000'000'000'000;  // products of two such still fit after the check

/// Recursive descent: sum, product, factor.
class Parser {
  public:
    Parser(std::string_view text, const ParameterClocks& clocks, std::set<std::string>* used)
        : text_(text), clocks_(clocks), used_(used) {}

    int64_t whole() {
        const int64_t value = sum();
        skip_blanks();
        if (at_ < text_.size()) fail(fmt::format("'{}' is not expected here", text_[at_]));
        return value;
    }

  private:
    std::string_view text_;
    const ParameterClocks& clocks_;
    std::set<std::string>* used_;
    size_t at_ = 0;

    [[noreturn]] void fail(const std::string& problem) const {
        throw LatencyError(fmt::format("{} (character {})", problem, at_ + 1));
    }

    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }

    bool take(char wanted) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    int64_t bounded(double estimate, int64_t exact) const {
        if (estimate > kLargest || estimate < -kLargest) fail("the value is too large");
        return exact;
    }

    int64_t sum() {
        int64_t value = product();
        for (;;) {
            if (take('+')) {
                value += product();
            } else if (take('-')) {
                value -= product();
            } else {
                return value;
            }
            bounded(static_cast<double>(value), value);
        }
    }

    int64_t product() {
        int64_t value = factor();
        for (;;) {
            if (take('*')) {
                const int64_t by = factor();
                const double estimate = static_cast<double>(value) * static_cast<double>(by);
                bounded(estimate, 0);
                value *= by;
            } else if (take('/')) {
                const int64_t by = factor();
                if (by == 0) fail("a division by 0");
                if (value % by != 0) fail(fmt::format("{}/{} is no whole number", value, by));
                value /= by;
            } else {
                return value;
            }
        }
    }

    int64_t factor() {
        if (take('(')) {
            const int64_t value = sum();
            if (!take(')')) fail("a ')' is missing");
            return value;
        }
        if (take('-')) return -factor();
        skip_blanks();
        if (at_ >= text_.size()) fail("a number or a parameter is missing");
        if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
        return name();
    }

    int64_t number() {
        int64_t value = 0;
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
            value = bounded(static_cast<double>(value) * 10, value * 10 + (text_[at_] - '0'));
            ++at_;
        }
        return value;
    }

    int64_t name() {
        const size_t begin = at_;
        const auto belongs = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        };
        while (at_ < text_.size() && belongs(text_[at_])) ++at_;
        if (at_ == begin) fail(fmt::format("'{}' is not expected here", text_[at_]));
        const std::string word(text_.substr(begin, at_ - begin));
        if ((word == "max" || word == "min") && take('(')) return choice(word == "max");
        const auto found = clocks_.find(word);
        if (found == clocks_.end()) {
            at_ = begin;
            std::vector<std::string> names;
            for (const auto& entry : clocks_) names.push_back(entry.first);
            fail(fmt::format("no parameter {}{}", shortened(word), did_you_mean(word, names)));
        }
        if (used_ != nullptr) used_->insert(word);
        return found->second;
    }

    int64_t choice(bool largest) {
        int64_t value = sum();
        while (take(',')) {
            const int64_t other = sum();
            value = largest ? std::max(value, other) : std::min(value, other);
        }
        if (!take(')')) fail("a ')' is missing");
        return value;
    }
};

}  // namespace

int64_t evaluate_latency(std::string_view text, const ParameterClocks& clocks,
                         std::set<std::string>* used) {
    if (text.size() > kLongestText) {
        throw LatencyError(fmt::format("longer than {} characters", kLongestText));
    }
    return Parser(text, clocks, used).whole();
}

}  // namespace weir::runner

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The treap. Loops instead of recursion: kernel stacks are small.
#include "firmware/block/request_tree.h"

#include "firmware/hal/hal.h"
#include "firmware/hal/page_content.h"

namespace weir::block {

namespace {

bool before(const Request& a, const Request& b) {
    return a.sector != b.sector ? a.sector.value < b.sector.value : a.sequence < b.sequence;
}

}  // namespace

void RequestTree::insert(Request& request) {
    request.tree_priority = hal::mix64(request.sequence + 1);
    Request** place = &root_;
    while (*place && (*place)->tree_priority > request.tree_priority) {
        place = before(request, **place) ? &(*place)->tree_left : &(*place)->tree_right;
    }
    // What hangs below is split into what comes before the request and what comes after it.
    Request* below = *place;
    Request** smaller = &request.tree_left;
    Request** larger = &request.tree_right;
    *place = &request;
    while (below) {
        if (before(*below, request)) {
            *smaller = below;
            smaller = &below->tree_right;
            below = below->tree_right;
        } else {
            *larger = below;
            larger = &below->tree_left;
            below = below->tree_left;
        }
    }
    *smaller = *larger = nullptr;
}

void RequestTree::remove(Request& request) {
    Request** place = &root_;
    while (*place && *place != &request) {
        place = before(request, **place) ? &(*place)->tree_left : &(*place)->tree_right;
    }
    WEIR_ASSERT(*place, "request is not in the sorted tree", request.sector.value,
                request.sequence);
    Request* left = request.tree_left;
    Request* right = request.tree_right;
    while (left && right) {
        if (left->tree_priority > right->tree_priority) {
            *place = left;
            place = &left->tree_right;
            left = left->tree_right;
        } else {
            *place = right;
            place = &right->tree_left;
            right = right->tree_left;
        }
    }
    *place = left ? left : right;
    request.tree_left = request.tree_right = nullptr;
}

Request* RequestTree::after(const Request& request) const {
    Request* found = nullptr;
    for (Request* node = root_; node;) {
        if (before(request, *node)) {
            found = node;
            node = node->tree_left;
        } else {
            node = node->tree_right;
        }
    }
    return found;
}

}  // namespace weir::block

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// An intrusive doubly linked list, for structures that live in modelled DRAM.
// - A type joins by deriving from, or holding, a ListNode; List<T, &T::node> gives typed access.
// - Oldest at the front, newest at the back, unless a user says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::kernel {

struct ListNode {
    ListNode* prev = nullptr;
    ListNode* next = nullptr;

    bool linked() const { return next != nullptr; }
    void unlink() {
        prev->next = next;
        next->prev = prev;
        prev = next = nullptr;
    }
};

template <typename T, ListNode T::*kNode>
class List {
  public:
    List() { reset(); }
    List(const List&) = delete;
    List& operator=(const List&) = delete;

    /// Empties the list without touching its members.
    void reset() {
        head_.prev = head_.next = &head_;
        size_ = 0;
    }
    bool empty() const { return size_ == 0; }
    uint32_t size() const { return size_; }
    T* front() const { return empty() ? nullptr : owner(head_.next); }
    T* back() const { return empty() ? nullptr : owner(head_.prev); }
    T* next(const T& item) const { return at((item.*kNode).next); }
    T* prev(const T& item) const { return at((item.*kNode).prev); }

    void push_back(T& item) { insert(item.*kNode, head_.prev, &head_); }
    void push_front(T& item) { insert(item.*kNode, &head_, head_.next); }
    /// Links item before position; at the back where position is null.
    void insert_before(T* position, T& item) {
        ListNode* node = position ? &(position->*kNode) : &head_;
        insert(item.*kNode, node->prev, node);
    }
    void remove(T& item) {
        (item.*kNode).unlink();
        --size_;
    }
    T* pop_front() {
        T* item = front();
        if (item) remove(*item);
        return item;
    }
    T* pop_back() {
        T* item = back();
        if (item) remove(*item);
        return item;
    }
    /// Moves every member of other to the back of this list, in order.
    void splice_back(List& other) {
        while (T* item = other.pop_front()) push_back(*item);
    }

  private:
    void insert(ListNode& node, ListNode* before, ListNode* after) {
        node.prev = before;
        node.next = after;
        before->next = &node;
        after->prev = &node;
        ++size_;
    }
    T* at(ListNode* node) const { return node == &head_ ? nullptr : owner(node); }
    static T* owner(ListNode* node) {
        // The offset of the member, computed without a T: the usual container_of.
        const auto offset =
            reinterpret_cast<std::size_t>(&(reinterpret_cast<T*>(0x1000)->*kNode)) - 0x1000;
        return reinterpret_cast<T*>(reinterpret_cast<char*>(node) - offset);
    }

    ListNode head_;
    uint32_t size_ = 0;
};

}  // namespace weir::kernel

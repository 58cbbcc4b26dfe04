// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Small kernel objects in modelled DRAM: a free list over frames got from a source.
// - The source is the boot allocator first and the frame allocator later (set_frame_source).
// - ObjectCache<T>::create() constructs, destroy() destructs; frames are kept for reuse.
#pragma once

#include "firmware/hal/types.h"
#include "firmware/kernel/lock.h"

#include <new>
#include <utility>

namespace weir::kernel {

/// Gives one frame for kernel objects, or kNoPfn. May not sleep.
using FrameSource = hal::Pfn (*)();
void set_frame_source(FrameSource source);

/// Raw storage of one size. Shared by all ObjectCache<T>.
struct ObjectPool {
    SpinLock lock;
    uint32_t object_bytes = 0;
    void* free_list = nullptr;
    uint32_t live_count = 0;
    uint32_t frame_count = 0;
    void* take();
    void give(void* object);
};

template <typename T>
class ObjectCache {
  public:
    template <typename... Args>
    T* create(Args&&... args) {
        pool_.object_bytes = sizeof(T) < sizeof(void*) ? sizeof(void*) : (sizeof(T) + 7u) & ~7u;
        void* place = pool_.take();
        return place ? new (place) T(std::forward<Args>(args)...) : nullptr;
    }
    void destroy(T& object) {
        object.~T();
        pool_.give(&object);
    }
    uint32_t live_count() const { return pool_.live_count; }
    uint32_t frame_count() const { return pool_.frame_count; }

  private:
    ObjectPool pool_;
};

}  // namespace weir::kernel

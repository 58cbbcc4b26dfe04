// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Storage for small kernel objects: frames cut into equal pieces, free pieces in a list through
// their first word.
#include "firmware/kernel/object_cache.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/kernel.h"

namespace weir::kernel {

namespace {

FrameSource frame_source = nullptr;

void* next_frame() {
    if (!frame_source) return boot_alloc(hal::kPageBytes, hal::kPageBytes);
    const hal::Pfn pfn = frame_source();
    return pfn == hal::kNoPfn ? nullptr : hal::ram_ptr(hal::addr_of(pfn));
}

void* pop(ObjectPool& pool) {
    void* object = pool.free_list;
    if (!object) return nullptr;
    pool.free_list = *static_cast<void**>(object);
    ++pool.live_count;
    return object;
}

void push(ObjectPool& pool, void* object) {
    *static_cast<void**>(object) = pool.free_list;
    pool.free_list = object;
}

}  // namespace

void object_cache_init() {
    frame_source = nullptr;
}
bool frame_source_is_set() {
    return frame_source != nullptr;
}
void set_frame_source(FrameSource source) {
    frame_source = source;
}

void* ObjectPool::take() {
    {
        IrqSpinGuard guard(lock);
        if (void* object = pop(*this)) return object;
    }
    WEIR_ASSERT(object_bytes <= hal::kPageBytes, "a kernel object is larger than a frame",
                object_bytes, 0);
    // Outside the lock: the source takes locks of its own.
    auto* frame = static_cast<unsigned char*>(next_frame());
    if (!frame) return nullptr;
    count(VmCounter::NrSlab);
    IrqSpinGuard guard(lock);
    ++frame_count;
    // Last piece first, so that objects are handed out in ascending order of address.
    for (uint32_t piece = hal::kPageBytes / object_bytes; piece-- > 0;) {
        push(*this, frame + piece * object_bytes);
    }
    return pop(*this);
}

void ObjectPool::give(void* object) {
    IrqSpinGuard guard(lock);
    push(*this, object);
    --live_count;
}

}  // namespace weir::kernel

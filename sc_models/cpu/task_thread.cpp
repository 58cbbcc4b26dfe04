// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/task_thread.h"

#include "sc_models/common/check.h"
#include "sc_models/cpu/hart.h"

namespace weir::cpu {

hal::Context* create_context(const std::string& name, hal::ContextEntry entry, void* argument) {
    auto* context = new hal::Context;  // parked threads refer to it until the process ends
    context->name = name;
    context->entry = entry;
    context->argument = argument;
    sc_core::sc_spawn_options options;
    options.set_stack_size(kContextStackBytes);
    options.dont_initialize();
    options.set_sensitivity(&context->resumed);
    sc_core::sc_spawn(
        [context] {
            current_hart = context->hart;
            context->entry(context->argument);
            fail(context->name, __FILE__, __LINE__, "a context returned from its entry function");
        },
        sc_core::sc_gen_unique_name("context"), &options);
    return context;
}

void resume_context(hal::Context& context, Hart& hart) {
    WEIR_CHECK(context.hart == nullptr, hart, "switch to a context that runs on a hart already",
               context.hart->id(), hart.id());
    context.hart = &hart;
    context.resumed.notify();
}

void suspend_context(hal::Context& context) {
    sc_core::wait(context.resumed);
    current_hart = context.hart;
}

}  // namespace weir::cpu

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/child_pool.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weir::runner {

namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void note_interrupt(int) {
    g_interrupted = 1;
}

int g_guards = 0;
struct sigaction g_old_int {};
struct sigaction g_old_term {};
struct sigaction g_old_hangup {};

struct Child {
    size_t job;
    pid_t pid;
    int pipe;
    std::string partial_line;
};

/// The child's side: never returns. Only calls that are safe after fork.
[[noreturn]] void become(char* const* arguments, int pipe, int log, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (pipe == kProgressFd) {
        fcntl(pipe, F_SETFD, 0);
    } else {
        dup2(pipe, kProgressFd);
    }
    execv(arguments[0], arguments);
    _exit(127);
}

Child start(size_t job, const ChildJob& description) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
    }
    const int log = open(description.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (log < 0) {
        throw std::runtime_error(description.log.string() + ": " + std::strerror(errno));
    }
    std::vector<char*> arguments;
    for (const std::string& word : description.command) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) {
        throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
    }
    if (pid == 0) {
        become(arguments.data(), ends[1], log, parent);
    }
    close(ends[1]);
    close(log);
    return {job, pid, ends[0], {}};
}

ChildEnd wait_for(const Child& child) {
    int status = 0;
    rusage usage{};
    while (wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    close(child.pipe);
    ChildEnd end;
    end.started = true;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end.peak_rss_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    return end;
}

/// False at the end of the pipe: the child has ended.
bool read_lines(Child& child, const ChildHooks& hooks) {
    char buffer[4096];
    const ssize_t count = read(child.pipe, buffer, sizeof buffer);
    if (count < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    if (count == 0) {
        return false;
    }
    child.partial_line.append(buffer, static_cast<size_t>(count));
    size_t newline;
    while ((newline = child.partial_line.find('\n')) != std::string::npos) {
        if (hooks.on_line) {
            hooks.on_line(child.job, child.partial_line.substr(0, newline));
        }
        child.partial_line.erase(0, newline + 1);
    }
    return true;
}

void kill_all(std::vector<Child>& children, PoolOutcome& outcome) {
    for (const Child& child : children) {
        kill(child.pid, SIGKILL);
    }
    for (const Child& child : children) {
        outcome.ends[child.job] = wait_for(child);
    }
    children.clear();
}

/// Whether a child died of the signal that is meant for all of us: Ctrl-C reaches the whole process
/// group, and the child's end may be seen a moment before our own signal.
bool died_of_interrupt(const ChildEnd& end) {
    constexpr int kSignalLagMs = 100;
    if (end.signal != SIGINT && end.signal != SIGTERM && end.signal != SIGHUP) {
        return false;
    }
    if (!InterruptGuard::interrupted()) {
        poll(nullptr, 0, kSignalLagMs);  // a signal ends it at once
    }
    return InterruptGuard::interrupted();
}

/// Waits for lines and ends of the children, at most a fifth of a second.
void serve(std::vector<Child>& children, const ChildHooks& hooks, PoolOutcome& outcome) {
    constexpr int kTickMs = 200;
    std::vector<pollfd> polls;
    for (const Child& child : children) {
        polls.push_back({child.pipe, POLLIN, 0});
    }
    if (poll(polls.data(), polls.size(), kTickMs) < 0) {
        return;  // interrupted: the caller looks at the flag
    }
    for (size_t i = polls.size(); i-- > 0;) {
        if (polls[i].revents == 0 || read_lines(children[i], hooks)) {
            continue;
        }
        const size_t job = children[i].job;
        outcome.ends[job] = wait_for(children[i]);
        children.erase(children.begin() + static_cast<ptrdiff_t>(i));
        if (!died_of_interrupt(outcome.ends[job]) && hooks.on_end) {
            hooks.on_end(job, outcome.ends[job]);
        }
    }
}

}  // namespace

InterruptGuard::InterruptGuard() {
    if (g_guards++ != 0) {
        return;
    }
    g_interrupted = 0;
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    sigaction(SIGINT, &action, &g_old_int);
    sigaction(SIGTERM, &action, &g_old_term);
    sigaction(SIGHUP, nullptr, &g_old_hangup);
    if (g_old_hangup.sa_handler != SIG_IGN) {  // as nohup leaves it
        sigaction(SIGHUP, &action, nullptr);
    }
}

InterruptGuard::~InterruptGuard() {
    if (--g_guards == 0) {
        sigaction(SIGINT, &g_old_int, nullptr);
        sigaction(SIGTERM, &g_old_term, nullptr);
        sigaction(SIGHUP, &g_old_hangup, nullptr);
    }
}

bool InterruptGuard::interrupted() {
    return g_interrupted != 0;
}

PoolOutcome run_children(const std::vector<ChildJob>& jobs, size_t parallel,
                         const ChildHooks& hooks) {
    const InterruptGuard guard;
    PoolOutcome outcome;
    outcome.ends.resize(jobs.size());
    std::vector<Child> children;
    size_t next = 0;
    try {
        while (next < jobs.size() || !children.empty()) {
            if (InterruptGuard::interrupted()) {
                break;
            }
            while (next < jobs.size() && children.size() < parallel) {
                children.push_back(start(next, jobs[next]));
                if (hooks.on_start) {
                    hooks.on_start(next);
                }
                ++next;
            }
            serve(children, hooks, outcome);
            if (hooks.on_tick) {
                hooks.on_tick();
            }
        }
        // Asked once more after the last child: it may have died of the same signal.
        outcome.interrupted = InterruptGuard::interrupted();
        kill_all(children, outcome);
    } catch (...) {
        kill_all(children, outcome);
        throw;
    }
    return outcome;
}

}  // namespace weir::runner

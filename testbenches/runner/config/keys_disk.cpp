// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Keys of one disk, once for the data disks (machine.disk.) and once for swap (machine.swap.).
#include "testbenches/runner/config/key_builder.h"

namespace weir::runner {

namespace {

using machine::DiskConfig;

/// A member of the DiskConfig that `disk` leads to.
#define D(expression)                                                                  \
    Member<std::remove_reference_t<decltype(std::declval<DiskConfig&>().expression)>>( \
        [disk](Settings & s) -> auto& { return disk(s).expression; })

int64_t number(const Value& row, size_t column) {
    return std::get<int64_t>(std::get<std::vector<Value>>(row.data).at(column).data);
}

template <typename T>
Value integer_value(T value) {
    return Value{static_cast<int64_t>(value)};
}

template <typename T>
void bind_row(Key& key, Member<T> list) {
    key.store = [list](Settings& s, const Value& value) {
        const auto& items = std::get<std::vector<Value>>(value.data);
        T& target = list(s);
        if constexpr (requires { target.resize(1); }) {
            target.resize(items.size());
        }
        for (size_t i = 0; i < items.size(); ++i) {
            target[i] = static_cast<typename T::value_type>(std::get<int64_t>(items[i].data));
        }
    };
    key.load = [list](const Settings& s) {
        std::vector<Value> items;
        for (const auto item : list(const_cast<Settings&>(s))) {
            items.push_back(integer_value(item));
        }
        return Value{items};
    };
}

void bind_zones(Key& key, Member<std::vector<machine::DiskZone>> zones) {
    key.store = [zones](Settings& s, const Value& value) {
        zones(s).clear();
        for (const Value& row : std::get<std::vector<Value>>(value.data)) {
            zones(s).push_back({static_cast<uint32_t>(number(row, 0)),
                                static_cast<uint32_t>(number(row, 1)),
                                static_cast<uint32_t>(number(row, 2))});
        }
    };
    key.load = [zones](const Settings& s) {
        std::vector<Value> rows;
        for (const machine::DiskZone& zone : zones(const_cast<Settings&>(s))) {
            rows.push_back(Value{std::vector<Value>{integer_value(zone.first_cylinder),
                                                    integer_value(zone.last_cylinder),
                                                    integer_value(zone.sectors_per_track)}});
        }
        return Value{rows};
    };
}

void bind_seek_points(Key& key, Member<std::vector<machine::SeekPoint>> points) {
    key.store = [points](Settings& s, const Value& value) {
        points(s).clear();
        for (const Value& row : std::get<std::vector<Value>>(value.data)) {
            points(s).push_back(
                {static_cast<uint32_t>(number(row, 0)), static_cast<uint32_t>(number(row, 1))});
        }
    };
    key.load = [points](const Settings& s) {
        std::vector<Value> rows;
        for (const machine::SeekPoint& point : points(const_cast<Settings&>(s))) {
            rows.push_back(Value{
                std::vector<Value>{integer_value(point.cylinders), integer_value(point.time_us)}});
        }
        return Value{rows};
    };
}

void add_rotating_keys(std::vector<Key>& keys, const std::string& prefix,
                       const Member<DiskConfig>& disk) {
    KeyBuilder add(keys, prefix + "rotating.");
    add.integer<uint32_t>("rpm", D(rotating.rpm), {1000, 30'000}, "1/min", "Turns of the disk.");
    add.integer<uint32_t>("heads", D(rotating.heads), {1, 64}, "", "Surfaces in use.");
    Key& zones = add.add("zones", KeyType::Rows, "first cylinder, last cylinder, sectors a track",
                         "Zones from the outside in.");
    zones.columns = 3;
    zones.max = 10'000'000;
    bind_zones(zones, D(rotating.zones));
    Key& points = add.add("seek_points", KeyType::Rows, "cylinders, us",
                          "Seek times by distance, shortest first; between them is interpolated.");
    points.columns = 2;
    points.max = 10'000'000;
    bind_seek_points(points, D(rotating.seek_points));
    add.integer<uint32_t>("head_switch_us", D(rotating.head_switch_us), {0, 100'000}, "us",
                          "Change to another surface of the same cylinder.");
    add.integer<uint32_t>("write_settle_us", D(rotating.write_settle_us), {0, 100'000}, "us",
                          "What a write adds to a seek.");
    add.integer<uint32_t>("track_skew_sectors", D(rotating.track_skew_sectors), {0, 10'000},
                          "sectors", "Shift of sector 0 from one track to the next.");
    add.integer<uint32_t>("cylinder_skew_sectors", D(rotating.cylinder_skew_sectors), {0, 10'000},
                          "sectors", "Shift of sector 0 from one cylinder to the next.");
    add.integer<uint32_t>("cache_segments", D(rotating.cache_segments), {0, 1024}, "",
                          "Segments of the buffer.");
    add.integer<uint32_t>("segment_sectors", D(rotating.segment_sectors), {1, 1'000'000}, "sectors",
                          "Size of a segment.");
    add.integer<uint32_t>("write_segments", D(rotating.write_segments), {0, 1024}, "",
                          "Segments that may hold writes; 0: no write cache.");
    add.integer<uint32_t>("read_ahead_sectors", D(rotating.read_ahead_sectors), {0, 1'000'000},
                          "sectors", "How far the disk reads on by itself.");
    Key& overhead = add.add("overhead_us", KeyType::Row,
                            "[read, write] x [hit, miss] x [after read, after write], us",
                            "Command overheads.");
    overhead.columns = 8;
    overhead.max = 1'000'000;
    bind_row<std::array<uint32_t, 8>>(overhead, D(rotating.overhead_us));
    add.integer<uint64_t>("bus_bytes_per_s", D(rotating.bus_bytes_per_s),
                          {100'000, 100'000'000'000}, "bytes/s", "Rate of the disk's interface.");
}

void add_lun_keys(std::vector<Key>& keys, const std::string& prefix,
                  const Member<DiskConfig>& disk) {
    KeyBuilder add(keys, prefix + "lun.");
    add.integer<uint32_t>("hit_us", D(lun.hit_us), {0, 1'000'000}, "us",
                          "Read hit in the array's cache, without transfer.");
    add.integer<uint32_t>("miss_us", D(lun.miss_us), {0, 10'000'000}, "us",
                          "First read of a cold place.");
    add.integer<uint32_t>("write_us", D(lun.write_us), {0, 1'000'000}, "us",
                          "Write into the mirrored store.");
    add.integer<uint64_t>("stream_bytes_per_s", D(lun.stream_bytes_per_s), {1000, 100'000'000'000},
                          "bytes/s", "Ceiling of one LUN.");
    add.integer<uint64_t>("channel_bytes_per_s", D(lun.channel_bytes_per_s),
                          {1000, 100'000'000'000}, "bytes/s",
                          "Ceiling of one port, shared by its LUNs.");
    add.integer<uint32_t>("ports", D(lun.ports), {1, 64}, "",
                          "Ports over which the LUNs are spread, one after the other.");
    add.integer<uint32_t>("service_spread_pct", D(lun.service_spread_pct), {0, 90}, "%",
                          "How far single service times lie around their mean (seeded).");
    add.integer<uint32_t>("sequential_after_tracks", D(lun.sequential_after_tracks), {1, 1000},
                          "tracks", "Tracks read in order before the array reads ahead.");
    add.integer<uint32_t>("track_bytes", D(lun.track_bytes), {32'768, 1 << 24, 32'768}, "bytes",
                          "Unit of the array's read-ahead.");
    add.integer<uint32_t>("prefetch_tracks", D(lun.prefetch_tracks), {0, 10'000}, "tracks",
                          "How far ahead the array reads.");
    add.integer<uint64_t>("write_store_bytes", D(lun.write_store_bytes), {4096, 1ll << 40}, "bytes",
                          "Size of the non-volatile write store.");
    add.integer<uint64_t>("destage_bytes_per_s", D(lun.destage_bytes_per_s),
                          {1000, 100'000'000'000}, "bytes/s", "How fast the store drains.");
    add.integer<uint64_t>("cache_bytes", D(lun.cache_bytes), {0, 1ll << 40}, "bytes",
                          "Read cache that one LUN may fill.");
    add.integer<uint32_t>("rank_disks", D(lun.rank_disks), {1, 256}, "disks",
                          "Reads that the disks behind it do at once.");
}

void add_flash_keys(std::vector<Key>& keys, const std::string& prefix,
                    const Member<DiskConfig>& disk) {
    KeyBuilder add(keys, prefix + "flash.");
    add.integer<uint32_t>("channels", D(flash.channels), {1, 64}, "", "Channels.");
    add.integer<uint32_t>("dies_per_channel", D(flash.dies_per_channel), {1, 64}, "",
                          "Dies of a channel.");
    add.integer<uint32_t>("page_bytes", D(flash.page_bytes), {4096, 1 << 20, 4096}, "bytes",
                          "Flash page.");
    add.integer<uint32_t>("read_us", D(flash.read_us), {0, 1'000'000}, "us", "Array read.");
    add.integer<uint32_t>("program_us", D(flash.program_us), {0, 1'000'000}, "us",
                          "Programme time of a page.");
    add.integer<uint32_t>("erase_us", D(flash.erase_us), {0, 10'000'000}, "us",
                          "Erase time of a block.");
    add.integer<uint32_t>("pages_per_block", D(flash.pages_per_block), {1, 100'000}, "pages",
                          "Flash pages of an erase block.");
    add.integer<uint64_t>("channel_bytes_per_s", D(flash.channel_bytes_per_s),
                          {1000, 100'000'000'000}, "bytes/s", "Rate of one channel.");
    add.integer<uint64_t>("link_bytes_per_s", D(flash.link_bytes_per_s), {1000, 100'000'000'000},
                          "bytes/s", "Rate of the host link.");
    add.integer<uint32_t>("firmware_read_us", D(flash.firmware_read_us), {0, 1'000'000}, "us",
                          "Controller's own time for a read.");
    add.integer<uint32_t>("firmware_write_us", D(flash.firmware_write_us), {0, 1'000'000}, "us",
                          "Controller's own time for a write.");
    add.integer<uint64_t>("write_buffer_bytes", D(flash.write_buffer_bytes), {0, 1ll << 34},
                          "bytes", "Writes that are reported done before they are programmed.");
    add.integer<uint32_t>("over_provision_permille", D(flash.over_provision_permille), {0, 1000},
                          "permille", "Flash beyond the size that is offered.");
    add.integer<uint32_t>("busy_after_writes", D(flash.busy_after_writes), {0, 1'000'000}, "writes",
                          "A busy period follows so many random writes; 0: never.");
    add.integer<uint32_t>("busy_us", D(flash.busy_us), {0, 10'000'000}, "us",
                          "Length of a busy period.");
}

void add_fault_keys(std::vector<Key>& keys, const std::string& prefix,
                    const Member<DiskConfig>& disk) {
    KeyBuilder add(keys, prefix + "fault.");
    Key& sectors =
        add.add("unreadable_sectors", KeyType::Row, "sectors", "Sectors whose read always fails.");
    sectors.max = int64_t{1} << 40;
    bind_row<std::vector<uint64_t>>(sectors, D(fault.unreadable_sectors));
    add.integer<uint32_t>("error_every_commands", D(fault.error_every_commands), {0, 1'000'000'000},
                          "commands", "Every n-th command fails once; 0: never.");
    add.integer<uint32_t>("drop_interrupt_every", D(fault.drop_interrupt_every), {0, 1'000'000'000},
                          "interrupts", "Every n-th interrupt is lost; 0: never.");
    add.integer<uint32_t>("hang_after_commands", D(fault.hang_after_commands), {0, 1'000'000'000},
                          "commands", "After so many commands it never answers again; 0: never.");
}

}  // namespace

void add_disk_keys(std::vector<Key>& keys, const std::string& prefix,
                   const Member<DiskConfig>& disk) {
    KeyBuilder add(keys, prefix);
    add.choice<machine::MediumKind>("medium", D(medium), {"rotating_disk", "cached_lun", "flash"},
                                    "What holds the data.");
    add.integer<uint64_t>("size_mib", D(size_mib), {1, 1 << 24}, "MiB", "Size offered.");
    add.integer<uint32_t>("nr_requests", D(nr_requests), {4, 10'000}, "requests",
                          "Request slots of each direction.");
    add.integer<uint32_t>("readahead_kib", D(readahead_kib), {4, 16'384, 4}, "KiB",
                          "Largest readahead window.");
    add.integer<uint32_t>("max_request_kib", D(max_request_kib), {4, 1024, 4}, "KiB",
                          "Cap of a merged request.");
    add.integer<uint32_t>("ring_entries", D(ring_entries), {2, 4096}, "entries",
                          "Largest I/O queue that the controller offers.");
    add.integer<uint32_t>("device_queue_depth", D(device_queue_depth), {1, 4096}, "commands",
                          "Commands that the device works on at once.");
    add.integer<uint32_t>("request_timeout_ms", D(request_timeout_ms), {100, 600'000}, "ms",
                          "When the driver gives up waiting for a command.");
    add.choice<hal::ElevatorKind>("elevator", D(elevator), {"noop", "deadline"},
                                  "How requests are sorted.");
    add_rotating_keys(keys, prefix, disk);
    add_lun_keys(keys, prefix, disk);
    add_flash_keys(keys, prefix, disk);
    add_fault_keys(keys, prefix, disk);
}

#undef D

}  // namespace weir::runner

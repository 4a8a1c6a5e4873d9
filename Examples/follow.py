#!/usr/bin/env python3
"""Follows a Freshet store from docs/file-format.md alone: prints one JSON line per change.

usage: follow.py STORE [--until REVISION]   begins with the newest snapshot, or the first change
"""
import json, os, struct, sys, time

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF

def read_line(line):
    if int(line[6:14], 16) != crc32c(line[15:]):
        sys.exit(f"damaged: {line[:80]!r}")
    return json.loads(line)

def read_head(folder, store_bits):
    """The watermark: (sequence, epoch, segment, offset, revision, flags) of the newer slot."""
    data = open(f"{folder}/HEAD", "rb").read()
    slots = []
    for slot in (data[0:64], data[512:576]):
        magic, bits, *rest, crc = struct.unpack("<8s6QII", slot) if len(slot) == 64 else (b"", 0, 0)
        if magic == b"FRESHET1" and bits == store_bits and crc == crc32c(slot[:60]):
            slots.append(rest)
    return max(slots)

def segments(folder):
    return sorted(int(n[4:24]) for n in os.listdir(folder) if n.startswith("log-"))

def snapshot(folder):
    """Revision and items of the newest snapshot that has its last line; 0 and none without one."""
    for name in sorted((n for n in os.listdir(folder) if n[:5] == "snap-" and n[-7:] == ".ndjson"), reverse=True):
        lines = [read_line(line) for line in open(f"{folder}/{name}", "rb").read().splitlines()]
        if lines and "end" in lines[-1]:
            return lines[0]["snapshot"], [line for line in lines if "k" in line]
    return 0, []

def follow(folder, until):
    store = read_line(open(f"{folder}/STORE", "rb").read().rstrip(b"\n"))
    if store["minReader"] > 1:
        sys.exit("a newer format")
    revision, items = snapshot(folder)
    for item in items:
        print(json.dumps({"r": item["r"], "o": "deleted" if "d" in item else "item", "k": item["k"], "v": item["v"]}))
    segment, commit = max(s for s in segments(folder) if s <= revision + 1), []
    file, done = open(f"{folder}/log-{segment:020}.ndjson", "rb"), 0
    while until is None or revision < until:
        _, _, head_segment, head_offset, head_revision, _ = read_head(folder, int(store["id"][16:], 16))
        # Only what HEAD says is durable; a segment with a successor is durable as a whole.
        limit = head_offset if segment == head_segment else os.fstat(file.fileno()).st_size
        while done < limit:
            line = file.readline()
            done += len(line)
            record = read_line(line[:-1])
            if record["r"] <= revision:
                continue  # It is in the snapshot.
            commit.append(record)
            number, count = map(int, record.get("n", "1/1").split("/"))
            if number == count:  # A commit counts when it is whole.
                for change in commit:
                    if change["o"] not in ("epoch", "erase"):
                        print(json.dumps({key: change.get(key) for key in "rokv"}), flush=True)
                revision, commit = record["r"], []
        if segment < head_segment:
            segment = next(s for s in segments(folder) if s > segment)
            file, done = open(f"{folder}/log-{segment:020}.ndjson", "rb"), 0
        elif revision == head_revision:
            time.sleep(0.02)

if __name__ == "__main__":
    follow(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else None)

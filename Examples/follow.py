#!/usr/bin/env python3
"""Follows a Freshet store from docs/file-format.md alone: prints one JSON line per change.

usage: follow.py STORE [--until REVISION]   begins with the newest snapshot, or the first change
"""
import json, os, struct, sys, time

def crc32c(data, table=[]):
    for byte in range(256 if not table else 0):
        for _ in range(8): byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data: crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF

def read_line(line):
    if len(line) < 16 or line[6:14] != b"%08x" % crc32c(line[15:]): sys.exit(f"damaged: {line[:80]!r}")
    return json.loads(line)

def read_head(folder, store_bits):
    """Segment, offset and revision of the newer slot that checks: so far the journal is durable."""
    data, slots = open(f"{folder}/HEAD", "rb").read(), []
    for slot in (s for s in (data[:64], data[512:576]) if len(s) == 64):
        magic, bits, sequence, _, *mark, _, crc = struct.unpack("<8s6QII", slot)
        if (magic, bits, crc) == (b"FRESHET1", store_bits, crc32c(slot[:60])): slots.append((sequence, mark))
    return max(slots)[1]

def snapshot(folder):
    """Revision and items of the newest snapshot; 0 and none without one."""
    names = sorted(n for n in os.listdir(folder) if n.startswith("snap-") and n.endswith(".ndjson"))
    if not names: return 0, []
    try: lines = [read_line(line) for line in open(f"{folder}/{names[-1]}", "rb").read().splitlines()]
    except FileNotFoundError: return snapshot(folder)  # A compaction has made a newer one.
    return lines[0]["snapshot"], lines[1:-1]

def follow(folder, until):
    store = read_line(open(f"{folder}/STORE", "rb").read().rstrip(b"\n"))
    if store["minReader"] > 1: sys.exit("a newer format")
    revision, items = snapshot(folder)
    for item in items:
        print(json.dumps({"r": item["r"], "o": "deleted" if "d" in item else "item", "k": item["k"], "v": item["v"]}))
    segment, head_segment, file, done, commit = 0, revision + 1, None, 0, []
    while until is None or revision < until:
        if segment < head_segment:  # The next segment is the one that begins with the next revision.
            try: file, segment, done = open(f"{folder}/log-{revision + 1:020}.ndjson", "rb"), revision + 1, 0
            except FileNotFoundError: sys.exit(f"compacted: what came after {revision} is gone; start again")
        head_segment, head_offset, head_revision = read_head(folder, int(store["id"][16:], 16))
        # A segment with a successor is durable as a whole; of the last one, what HEAD says.
        limit = head_offset if segment == head_segment else os.fstat(file.fileno()).st_size
        while done < limit:
            line = file.readline()
            commit, done = commit + [read_line(line[:-1])], done + len(line)
            if commit[-1].get("n", "1/1").split("/")[0] != commit[-1].get("n", "1/1").split("/")[1]: continue
            for change in (c for c in commit if c["o"] not in ("epoch", "erase")):  # The commit is whole.
                print(json.dumps({key: change.get(key) for key in "rokv"}), flush=True)
            revision, commit = commit[-1]["r"], []
        if segment == head_segment and revision >= head_revision: time.sleep(0.02)

if __name__ == "__main__": follow(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else None)

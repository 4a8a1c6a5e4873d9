/// The mount table of /proc/self/mountinfo.
struct MountTable {
  private var mounts: [(point: String, type: String)] = []

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      // 36 35 98:0 /root /mount/point options [optional fields] - type source options
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
        continue
      }
      mounts.append((MountTable.unescaped(fields[4]), String(fields[dash + 1])))
    }
  }

  /// The type of the mount that an absolute path without links is on.
  func type(at path: String) -> String? {
    var best: (length: Int, type: String)?
    for mount in mounts where MountTable.holds(mount.point, path) {
      // A later line covers an earlier one at the same point.
      if mount.point.utf8.count >= best?.length ?? 0 {
        best = (mount.point.utf8.count, mount.type)
      }
    }
    return best?.type
  }

  /// True for file systems where a lock or a written byte may not be what other machines see.
  static func isNetwork(_ type: String) -> Bool {
    let names: Set<String> = [
      "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "lustre", "ncpfs", "coda",
      "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.cephfs", "beegfs", "gpfs",
    ]
    return names.contains(type)
  }

  private static func holds(_ point: String, _ path: String) -> Bool {
    point == "/" || path == point || path.hasPrefix(point + "/")
  }

  /// Spaces and the like are written as a backslash and three octal digits.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    let raw = Array(field.utf8)
    var at = 0
    while at < raw.count {
      if raw[at] == UInt8(ascii: "\\"), at + 3 < raw.count,
        let code = UInt8(String(decoding: raw[(at + 1)...(at + 3)], as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        at += 4
      } else {
        bytes.append(raw[at])
        at += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

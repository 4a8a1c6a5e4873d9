/// A growing row of entries in small pages that copies share until one of them changes.
///
/// A copy is a snapshot of O(n/4096); a change after it copies one page and the way to it. A page
/// that was never written is absent: what is there is then somebody else's to know.
struct EntryPages<Entry: Sendable>: Sendable {
  static var pageBits: Int { 6 }
  static var pageSize: Int { 1 << pageBits }
  private static var bookBits: Int { 12 }
  private static var pagesPerBook: Int { 1 << (bookBits - pageBits) }

  /// Books of 64 pages of 64 entries; an empty book and an empty page are absent.
  private var books: [[[Entry]]] = []

  /// The entry, or nil when its page is absent.
  @inline(__always)
  subscript(_ number: Int) -> Entry? {
    let book = number >> EntryPages.bookBits
    guard book < books.count, !books[book].isEmpty else { return nil }
    let page = books[book][(number >> EntryPages.pageBits) & (EntryPages.pagesPerBook - 1)]
    let place = number & (EntryPages.pageSize - 1)
    return place < page.count ? page[place] : nil
  }

  /// Visits all entries whose pages are there.
  func forEach(_ visit: (Entry) -> Void) {
    for book in books {
      for page in book {
        for entry in page { visit(entry) }
      }
    }
  }

  /// Puts a page there.
  mutating func install(_ page: [Entry], at number: Int) {
    makeBook(number)
    books[number >> EntryPages.bookBits][
      (number >> EntryPages.pageBits) & (EntryPages.pagesPerBook - 1)] = page
  }

  /// Changes an entry whose page is there.
  @inline(__always)
  mutating func change(_ number: Int, _ change: (inout Entry) -> Void) {
    change(
      &books[number >> EntryPages.bookBits][
        (number >> EntryPages.pageBits) & (EntryPages.pagesPerBook - 1)][
          number & (EntryPages.pageSize - 1)])
  }

  /// Adds the entry after those of its page, all of which are there.
  mutating func append(_ entry: Entry, at number: Int) {
    makeBook(number)
    let book = number >> EntryPages.bookBits
    let page = (number >> EntryPages.pageBits) & (EntryPages.pagesPerBook - 1)
    if books[book][page].isEmpty { books[book][page].reserveCapacity(EntryPages.pageSize) }
    books[book][page].append(entry)
  }

  /// Forgets all entries from a number on.
  mutating func cut(from number: Int) {
    let book = number >> EntryPages.bookBits
    guard book < books.count else { return }
    books.removeSubrange((book + 1)...)
    guard !books[book].isEmpty else { return }
    let page = (number >> EntryPages.pageBits) & (EntryPages.pagesPerBook - 1)
    let place = number & (EntryPages.pageSize - 1)
    if books[book][page].count > place { books[book][page].removeSubrange(place...) }
    for later in (page + 1)..<max(EntryPages.pagesPerBook, page + 1) { books[book][later] = [] }
  }

  private mutating func makeBook(_ number: Int) {
    let book = number >> EntryPages.bookBits
    while books.count <= book { books.append([]) }
    if books[book].isEmpty {
      books[book] = [[Entry]](repeating: [], count: EntryPages.pagesPerBook)
    }
  }
}

/// Numbers by hash, open addressing, in pages that copies share.
///
/// A slot is 0, or half of the hash and a number + 1: an entry is looked at only when it is most
/// probably the one.
struct HashSlots: Sendable {
  private static let pageBits = 10
  private var pages: [[UInt64]] = []
  private var mask = -1

  /// So many slots.
  var capacity: Int { mask + 1 }

  init(capacity: Int = 0) {
    guard capacity > 0 else { return }
    let pageSize = min(capacity, 1 << HashSlots.pageBits)
    pages = [[UInt64]](
      repeating: [UInt64](repeating: 0, count: pageSize), count: capacity / pageSize)
    mask = capacity - 1
  }

  /// True when so many numbers leave enough slots free.
  func hasRoom(for numbers: Int) -> Bool { 3 * numbers <= 2 * capacity }

  /// Calls back with each number that may have the hash, until it says false.
  @inline(__always)
  func forEach(_ hash: UInt64, _ visit: (Int) -> Bool) {
    guard mask >= 0 else { return }
    var at = Int(truncatingIfNeeded: hash) & mask
    let tag = hash >> 32
    while true {
      let slot = pages[at >> HashSlots.pageBits][at & ((1 << HashSlots.pageBits) - 1)]
      if slot == 0 || slot >> 32 == tag && !visit(Int(slot & 0xFFFF_FFFF) - 1) { return }
      at = (at + 1) & mask
    }
  }

  mutating func insert(_ number: Int, hash: UInt64) {
    var at = Int(truncatingIfNeeded: hash) & mask
    while pages[at >> HashSlots.pageBits][at & ((1 << HashSlots.pageBits) - 1)] != 0 {
      at = (at + 1) & mask
    }
    pages[at >> HashSlots.pageBits][at & ((1 << HashSlots.pageBits) - 1)] =
      hash & ~0xFFFF_FFFF | UInt64(number + 1)
  }
}

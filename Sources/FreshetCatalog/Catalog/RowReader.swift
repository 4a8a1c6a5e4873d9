import FreshetStore

/// Moves a row's fields into an item; what nobody takes is the item's `extra`.
///
/// Fields are taken in the order of ``ContentItem/Field``, in which they are written too: so an item
/// is equal to what is read back.
struct RowReader {
  /// What is left of the row.
  var rest: JSONObject
  var item: ContentItem

  init(_ row: JSONObject, id: ItemID) {
    rest = row
    item = ContentItem(id: id)
  }

  /// Takes the first of these keys that is there and not null.
  ///
  /// - Parameter emptyIsAbsent: Whether `""` means that there is nothing.
  mutating func take(
    _ field: ContentItem.Field, _ keys: [String], emptyIsAbsent: Bool = false
  ) throws(ContentItemError) {
    guard let key = keys.first(where: { rest[$0].map { !$0.isNull } ?? false }) else {
      // Every spelling that is there is null: that is absence, told by leaving the field out.
      for key in keys { rest.removeValue(forKey: key) }
      return
    }
    guard let value = rest.removeValue(forKey: key) else { return }
    if emptyIsAbsent, value == "" { return }
    try item.set(field, to: value, calling: key)
  }

  /// The item, with the rest under `extra`.
  consuming func finish() throws(ContentItemError) -> ContentItem {
    item.extra = rest
    try item.checkSize()
    return item
  }
}

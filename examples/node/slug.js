// Makes the part of an address that names a page out of the page's title.

const WRITTEN_OUT = new Map([['ß', 'ss'], ['æ', 'ae'], ['ø', 'o'], ['&', ' and ']])

export function slug(title) {
  return title
    .toLowerCase()
    .replace(/[ßæø&]/g, (character) => WRITTEN_OUT.get(character))
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

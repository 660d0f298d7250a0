/** What the text of a file can be, by its Perforce type. */
export interface FileType {
  /** `utf16` is text whose bytes may come as UTF-16. */
  content: 'text' | 'utf16' | 'binary' | 'symlink';
  /**
   * Plain text: the bytes sent are those whose size and digest the server holds. Keywords (`+k`)
   * and charsets change them.
   */
  sentAsStored: boolean;
}

const bases: Readonly<Record<string, FileType['content']>> = {
  text: 'text',
  unicode: 'text',
  utf8: 'text',
  utf16: 'utf16',
  binary: 'binary',
  apple: 'binary',
  resource: 'binary',
  symlink: 'symlink',
};

/** Names from before modifiers; servers still show them. */
const oldNames: Readonly<Record<string, string>> = {
  ctempobj: 'binary+Sw',
  ctext: 'text+C',
  cxtext: 'text+Cx',
  ktext: 'text+k',
  kxtext: 'text+kx',
  ltext: 'text+F',
  tempobj: 'binary+FSw',
  ubinary: 'binary+F',
  uresource: 'resource+F',
  uxbinary: 'binary+Fx',
  xbinary: 'binary+x',
  xltext: 'text+Fx',
  xtempobj: 'binary+Swx',
  xtext: 'text+x',
  xunicode: 'unicode+x',
  xutf16: 'utf16+x',
};

/** Reads a type such as `text+kx`. An unknown base counts as binary: its text is not shown. */
export function parseFileType(type: string): FileType {
  const [base = '', modifiers = ''] = (oldNames[type] ?? type).split('+');
  const content = Object.hasOwn(bases, base) ? (bases[base] ?? 'binary') : 'binary';
  return { content, sentAsStored: base === 'text' && !/k/.test(modifiers) };
}

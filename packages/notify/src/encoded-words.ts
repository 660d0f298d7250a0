/**
 * Free text that no reader of mail decodes: `=?utf-8?Q?…?=` is an encoded word wherever it stands in
 * a header, also where its characters came from a change. A space goes into every `=?`; the rest
 * stays as it is.
 */
export function breakEncodedWords(text: string): string {
  return text.replaceAll('=?', '= ?');
}

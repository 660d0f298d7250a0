/** The header by which journals and searches find a mail where a server replaces the Message-ID. */
export const KEY_HEADER = 'X-Criticizer-Key';

import * as textReader from './text-reader.js';

export type TextReader = typeof textReader;

/** What reads texts, loaded with this package: as bundlers and the tests of this package take it. */
export const loadTextReader = (): TextReader => textReader;

import { Buffer } from 'node:buffer';
import { createMarshalReader } from '../../src/client/marshal-reader.js';
import { marshalRecord } from '../../src/testing/marshal-writer.js';

/** One stream of `-G` output and how fast it is read. */
export interface ReaderMeasurement {
  id: string;
  megabytes: number;
  megabytesPerSecond: number;
}

/** As the pipe of a process gives it. */
const chunkBytes = 64 * 1024;

/**
 * Large chunks as of contents, many short keys as of one description of 100,000 files, short
 * records as of lists. Best of five.
 */
export function measureReader(): ReaderMeasurement[] {
  return [
    measure('reader: 64 MiB in chunks of 64 KiB', largeChunks()),
    measure('reader: 600,000 short keys in one record', oneLargeRecord()),
    measure('reader: 100,000 records of 6 short keys', manyRecords()),
  ];
}

function measure(id: string, stream: Buffer): ReaderMeasurement {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    let fields = 0;
    const reader = createMarshalReader((record) => {
      fields += record.keys.length;
    });
    const startedAt = performance.now();
    for (let at = 0; at < stream.length; at += chunkBytes) reader.push(stream.subarray(at, at + chunkBytes));
    reader.end();
    best = Math.min(best, performance.now() - startedAt);
    if (fields === 0) throw new Error('nothing was read');
  }
  return { id, megabytes: stream.length / 1e6, megabytesPerSecond: stream.length / 1e3 / best };
}

function largeChunks(): Buffer {
  const record = marshalRecord([
    ['code', 'binary'],
    ['data', Buffer.alloc(chunkBytes, 1)],
  ]);
  return Buffer.concat(Array<Buffer>(1024).fill(record));
}

function oneLargeRecord(): Buffer {
  const fields = Array.from({ length: 100_000 }, (_, at) => [
    [`depotFile${at}`, `//depot/main/dir${at % 100}/file${at}.txt`],
    [`action${at}`, 'edit'],
    [`type${at}`, 'text'],
    [`rev${at}`, '2'],
    [`fileSize${at}`, '2048'],
    [`digest${at}`, at.toString(16).toUpperCase().padStart(32, '0')],
  ]) as [string, string][][];
  return marshalRecord([['code', 'stat'], ...fields.flat()]);
}

function manyRecords(): Buffer {
  const records = Array.from({ length: 100_000 }, (_, at) =>
    marshalRecord([
      ['code', 'stat'],
      ['depotFile', `//depot/main/file${at}.txt`],
      ['rev', '1'],
      ['change', '12'],
      ['action', 'edit'],
      ['type', 'text'],
    ]),
  );
  return Buffer.concat(records);
}

import { createIdTails } from '@criticizer/core/internal';

/** Makes UUIDs of version 7 of the store's milliseconds, whose order is the order of making. */
export function createRowIds(): (nowMs: number) => string {
  const idTail = createIdTails();
  return (nowMs) => {
    const time = nowMs.toString(16).padStart(12, '0');
    const tail = idTail();
    return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`;
  };
}

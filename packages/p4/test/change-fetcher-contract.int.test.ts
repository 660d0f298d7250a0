import { describeChangeFetcherContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { disposeSimulators, setUpFetcher } from './fetcher-setup.js';

const file = (name: string, content: string) => ({ path: `//depot/main/${name}`, action: 'edit' as const, content });

describeChangeFetcherContract(
  { describe, it },
  {
    async create() {
      const { fetcher } = setUpFetcher({
        changes: [
          {
            number: 4,
            user: 'ann',
            status: 'submitted',
            description: 'before',
            files: [
              { ...file('a.txt', 'one\ntwo\nthree\n'), action: 'add' },
              { ...file('gone.txt', 'x\n'), action: 'add' },
            ],
          },
          {
            number: 5,
            user: 'ann',
            status: 'submitted',
            description: 'after',
            files: [
              file('a.txt', 'one\n2\nthree\nfour'),
              { path: '//depot/main/gone.txt', action: 'delete' },
              { ...file('new.txt', 'crlf\r\nlines\r\n'), action: 'add' },
            ],
          },
        ],
      });
      return { fetcher, known: 5, unknown: 99, dispose: async () => disposeSimulators() };
    },
  },
);

#!/usr/bin/env node
// The command line of the service: see `--help`.
import { createInterface } from 'node:readline/promises';
import type { Terminal } from './commands/command-line.js';
import { runCommandLine } from './commands/run-command.js';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(1); // the second one does not wait
    stopping.abort();
  });

const terminal: Terminal = {
  env: process.env,
  write: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
  async ask(question) {
    if (!process.stdin.isTTY) return null;
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await reader.question(question, { signal: stopping.signal });
    } finally {
      reader.close();
    }
  },
  signal: stopping.signal,
};

process.exitCode = await runCommandLine(process.argv.slice(2), terminal);

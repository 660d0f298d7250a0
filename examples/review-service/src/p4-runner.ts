#!/usr/bin/env node
// The p4 runner: alone holds ticket and pin, and runs p4 for the service over a Unix socket.
// usage: criticizer-p4-runner (configured by its environment; see docs/how-to/deploy.md)
import { errorFacts } from '@criticizer/core';
import { createProcessLogger } from './commands/command-line.js';
import { runP4Runner } from './compose/run-p4-runner.js';
import { readRunnerConfiguration } from './config/runner-configuration.js';
import { UsageError } from './config/usage-error.js';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
try {
  const configuration = readRunnerConfiguration(process.env);
  const logger = createProcessLogger(configuration.logLevel);
  await runP4Runner(configuration, { logger, signal: stopping.signal });
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`${isUsage ? '' : `${errorFacts(error).code}: `}${(error as Error).message}\n`);
  process.exitCode = isUsage ? 2 : 1;
}

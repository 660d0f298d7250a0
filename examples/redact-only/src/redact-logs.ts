// A filter for JSON logs: node app.js | redact-logs.ts
import { createInterface } from 'node:readline';
import { redactLine } from './redacted-logger.js';

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }))
  if (line !== '' && !process.stdout.write(redactLine(line)))
    await new Promise((resolve) => process.stdout.once('drain', resolve));

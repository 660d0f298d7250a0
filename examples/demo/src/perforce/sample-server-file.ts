import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { changeNumber, type SampleServer } from './sample-change.js';

const fileSchema = z.looseObject({ path: z.string(), action: z.string() });
const changeSchema = z.looseObject({
  number: z.number(),
  user: z.string(),
  status: z.string(),
  description: z.string(),
  files: z.array(fileSchema),
});
const sampleServerSchema = z.object({
  model: z.looseObject({
    users: z.array(z.looseObject({ user: z.string(), email: z.string(), fullName: z.string() })),
    changes: z.array(changeSchema).refine((changes) => changes.some((change) => change.number === changeNumber)),
  }),
  ticket: z.string().min(1),
  planted: z.array(z.string()),
});

/** The sample server as an earlier run wrote it; null for a file that is missing, broken or something else. */
export function readSampleServer(file: string): SampleServer | null {
  try {
    const server: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return sampleServerSchema.safeParse(server).success ? (server as SampleServer) : null;
  } catch {
    return null;
  }
}

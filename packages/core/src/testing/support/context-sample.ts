import type { Change, ChangedFile } from '../../changes/change.js';

const changed: ChangedFile = {
  path: '//depot/game/src/world.cpp',
  oldPath: null,
  action: 'edit',
  fileType: 'text',
  revision: 4,
  bytes: 24,
  skipped: null,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-void Step();', '+void Step(int ms);'] }],
  newText: 'void Step(int ms);\n',
  addedLines: 1,
  removedLines: 1,
  encoding: 'utf8',
};

const change: Change = {
  serverId: 'main',
  number: 40,
  changelistId: 'main/40',
  kind: 'submitted',
  user: 'ada',
  description: 'Step takes a time',
  changedAt: new Date('2026-01-05T12:00:00Z'),
  userMail: null,
  reviewerMails: [],
  jobs: [],
  files: [changed],
  visibility: 'complete',
  deniedFiles: 0,
  contentDigest: 'd',
};

/** A change in a small tree, for the suite of context readers and its planted faults. */
export const contextSample = {
  change,
  root: '//depot/game/...',
  changed: changed.path,
  texts: ['//depot/game/src/ai/brain.cpp', '//depot/game/src/loop.cpp'],
  word: 'Step',
  binary: '//depot/game/src/art.bin',
  absent: '//depot/game/src/absent.cpp',
  denied: '//depot/game/src/keys/loop.cpp',
  outside: '//depot/tools/loop.cpp',
  files: new Map([
    ['//depot/game/src/ai/brain.cpp', '#include "world.h"\r\nvoid think() { Step(); }\r\nint StepSize = 3;\r\n'],
    ['//depot/game/src/loop.cpp', '// the loop\nvoid loop() { Step(); }\nint myStep, Stepper;\n'],
    ['//depot/game/src/world.cpp', 'void Step();\n'],
    ['//depot/game/src/art.bin', 'Step\0Step\n'],
    ['//depot/game/src/keys/loop.cpp', 'void Step(); // nobody may read this\n'],
    ['//depot/tools/loop.cpp', 'void Step(); // elsewhere\n'],
  ]),
} as const;

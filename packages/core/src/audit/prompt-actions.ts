import { withChange } from './suppression-actions.js';

const sides = {
  baseline: 'the name of the variant that everybody else gets',
  candidate: 'the name of the variant that is tried',
  reason: 'why',
} as const;

/** The admin actions over the rollout of a prompt (PR-4 to PR-6), as rows of `adminActions`. */
export const promptActions = {
  'prompt.rollout.start': {
    verb: 'operate.startPromptRollout',
    targetType: 'prompt_rollout',
    targetId: 'the document of the rollout',
    payload: {
      ...sides,
      percentage: 'percent of the authors, or of the parts of the depot',
      slice: '`author` or `path`',
      before: 'the percentage before (null: this candidate had no slice)',
      bench: 'the figures of both sides by `bench:review` (null: none were given)',
    },
    recorded: withChange,
  },
  'prompt.rollout.promote': {
    verb: 'operate.promotePrompt',
    targetType: 'prompt_rollout',
    targetId: 'the document of the rollout',
    payload: {
      ...sides,
      verdict: 'what the gates said: `ready`, `failing` or `held`',
      forced: 'whether it was promoted all the same',
      gates: 'each gate: its verdict, both rates, the limit and the sample',
    },
    recorded: withChange,
  },
  'prompt.rollout.roll_back': {
    verb: 'operate.rollBackPrompt',
    targetType: 'prompt_rollout',
    targetId: 'the document of the rollout',
    payload: {
      ...sides,
      latch:
        'of a gate: its name, window, both rates, the limit, the sample and the end of the cool-down (null: a person)',
    },
    recorded: `${withChange}; where a gate fails the actor is \`system\` \`prompt-gates\``,
  },
  'prompt.rollout.release': {
    verb: 'operate.releasePromptLatch',
    targetType: 'prompt_rollout',
    targetId: 'the document of the rollout',
    payload: {
      ...sides,
      gate: 'the gate that had rolled the candidate back',
      overrodeCoolDown: 'whether the cool-down had not ended',
    },
    recorded: withChange,
  },
} as const;

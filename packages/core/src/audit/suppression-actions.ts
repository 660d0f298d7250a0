/** `recorded` of an action whose change and event are one transaction. */
export const withChange = 'in the transaction of the change; degrades (AUD-3)';

const common = {
  disposition: '`false_positive`, `wont_fix` or `acknowledged`',
  expiresInMs: 'for how long, in milliseconds (null: until it is withdrawn)',
  suppressionId: 'the suppression (left out where the trail is on another database)',
  reason: 'why',
} as const;

/** The admin actions over suppressions (GRD-8), as rows of `adminActions`. */
export const suppressionActions = {
  'finding.suppress': {
    verb: 'operate.suppressFinding',
    targetType: 'finding',
    targetId: '`serverId/number#finding`',
    payload: {
      changelistId: 'the change',
      findingId: 'the finding',
      coversSecret: 'whether it hides a withheld credential',
      reviewVersion: 'of a link: the version of the review that its mail was of',
      ...common,
    },
    optional: ['reviewVersion', 'suppressionId'],
    recorded: `${withChange}; of a mail's link the actor is \`system\` \`link:\` and the key of the mail`,
  },
  'suppression.add': {
    verb: 'operate.suppressMatching',
    targetType: 'suppressions',
    targetId: 'the table',
    payload: {
      ruleId: 'the rule of the findings (null: any)',
      paths: 'the pattern of their files (null: any)',
      category: 'their category (null: any)',
      severity: 'their severity at most (null: any)',
      confidence: 'their confidence at most (null: any)',
      ...common,
    },
    optional: ['suppressionId'],
    recorded: withChange,
  },
  'suppression.withdraw': {
    verb: 'operate.withdrawSuppression',
    targetType: 'suppression',
    targetId: 'the suppression',
    payload: { reason: 'why' },
    recorded: withChange,
  },
} as const;

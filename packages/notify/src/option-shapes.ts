import { checkedElsewhere, nested, type OptionCheck, optional } from '@criticizer/core/internal';

/** A mailbox by its address; `parseRecipient` checks that. */
export const mailbox = nested<{ address: string; name?: string | undefined }>({
  address: checkedElsewhere,
  name: optional((option, value) => {
    if (typeof value !== 'string') throw new TypeError(`${option}: expected a string`);
  }),
});

/** A channel's id is part of its destination and of recipients. */
export const checkChannelId: OptionCheck = (option, value) => {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(value))
    throw new TypeError(`${option}: expected 1 to 64 letters, digits, dots, dashes and underscores`);
};

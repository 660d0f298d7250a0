import { checkedElsewhere, nested } from '@criticizer/core/internal';

/** A mailbox by its address; `parseRecipient` checks that. */
export const mailbox = nested<{ address: string; name?: string | undefined }>({
  address: checkedElsewhere,
  name: checkedElsewhere,
});

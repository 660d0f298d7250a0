import { checkedElsewhere, nested } from '@criticizer/core/store-authors';

/** A mailbox by its address; `parseRecipient` checks that. */
export const mailbox = nested<{ address: string; name?: string | undefined }>({
  address: checkedElsewhere,
  name: checkedElsewhere,
});

const mark = 'handed-over:';

/**
 * The id of a message that the far end took and shows later, if at all: `handed-over:<id>`. A sender that
 * learns no more than that gives it, so that whoever reads the row does not take `sent` for shown.
 */
export function handedOverId(id: string): string {
  return `${mark}${id}`;
}

/** True for a row whose message was handed over, and of which nobody can say whether it was shown. */
export function isHandedOver({ status, notificationId }: { status: string; notificationId: string | null }): boolean {
  return status === 'sent' && notificationId?.startsWith(mark) === true;
}

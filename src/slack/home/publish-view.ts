import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { ChatError } from '../../domain/ports/chat.ts';
import { slackErrorName } from '../transport/slack-errors.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';

/** The result of publishing a Home. */
export type PublishResult =
  | { readonly kind: 'published'; readonly hash: string | undefined }
  /** Another view has been published since the one with that hash. */
  | { readonly kind: 'outdated' }
  /** Slack is temporarily unavailable; retry after `afterMs` milliseconds. */
  | { readonly kind: 'later'; readonly afterMs: number; readonly error: ChatError }
  /** Slack rejected the view. */
  | { readonly kind: 'refused'; readonly error: ChatError };

const RETRY_AFTER_MS = 30_000;
const TEMPORARY_CODES: ReadonlySet<ChatError['code']> = new Set(['rate-limited', 'temporary']);

/**
 * Publishes a person's Home. With a hash, only if the current view still has it.
 * https://docs.slack.dev/reference/methods/views.publish
 */
export async function publishView(
  client: WebClient,
  user: string,
  view: HomeView,
  hash?: string,
): Promise<PublishResult> {
  try {
    const answer = await withSlackErrors('publish a Home', () =>
      client.views.publish({ user_id: user, view, ...(hash !== undefined && { hash }) }),
    );
    return { kind: 'published', hash: answer.view?.hash };
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    if (slackErrorName(error.cause) === 'hash_conflict') return { kind: 'outdated' };
    if (!TEMPORARY_CODES.has(error.code)) return { kind: 'refused', error };
    return { kind: 'later', afterMs: error.retryAfterMs ?? RETRY_AFTER_MS, error };
  }
}

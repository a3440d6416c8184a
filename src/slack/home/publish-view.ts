import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { ChatError } from '../../domain/ports/chat.ts';
import { slackErrorName } from '../transport/slack-errors.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';

/** What became of a view that was to be a person's Home. */
export type PublishResult =
  | { readonly kind: 'published'; readonly hash: string | undefined }
  /** Another one has been published since the view of that hash. */
  | { readonly kind: 'outdated' }
  /** Slack takes none now: again after so many milliseconds. */
  | { readonly kind: 'later'; readonly afterMs: number; readonly error: ChatError }
  /** Slack does not take this one. */
  | { readonly kind: 'refused'; readonly error: ChatError };

const PASSES_AFTER_MS = 30_000;
const PASSES: ReadonlySet<ChatError['code']> = new Set(['rate-limited', 'temporary']);

/** Publishes a person's Home; with a hash only in place of the view that has it. https://docs.slack.dev/reference/methods/views.publish */
export async function publishView(
  client: WebClient,
  user: string,
  view: HomeView,
  hash?: string,
): Promise<PublishResult> {
  try {
    const answer = await withSlackErrors('show a person their Home', () =>
      client.views.publish({ user_id: user, view, ...(hash !== undefined && { hash }) }),
    );
    return { kind: 'published', hash: answer.view?.hash };
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    if (slackErrorName(error.cause) === 'hash_conflict') return { kind: 'outdated' };
    if (!PASSES.has(error.code)) return { kind: 'refused', error };
    return { kind: 'later', afterMs: error.retryAfterMs ?? PASSES_AFTER_MS, error };
  }
}

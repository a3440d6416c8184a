import type { RespondFn } from '@slack/bolt';
import type { Lifecycle } from '../inbound/parse-event.ts';
import type { Inbound } from '../inbound/parse-inbound.ts';
import { answerCommand } from './answer-command.ts';
import { suggestOptions } from './forms/suggest-options.ts';
import { handleInteraction } from './handle-interaction.ts';
import type { HandlerDeps } from './handler.ts';
import { stopSession } from './stop-session.ts';

/** How a payload is answered. */
export interface Delivery {
  /** Acknowledges it to Slack; does nothing for an event, which Bolt has acknowledged. */
  readonly ack: (answer?: unknown) => Promise<void>;
  /** Posts to the response URL of a command. */
  readonly respond: RespondFn;
  /** Whether Slack sends an event again. */
  readonly isRetry: boolean;
}

/** Handles a payload that Bolt delivered. Messages were stored before. */
export async function handleInbound(
  inbound: Inbound,
  { ack, isRetry, respond }: Delivery,
  deps: HandlerDeps,
): Promise<void> {
  switch (inbound.kind) {
    case 'interaction':
      return await handleInteraction(inbound.parsed, ack, deps);
    case 'options':
      return await ack({ options: await suggestOptions(inbound.query, deps) });
    case 'command':
      return await answerCommand(inbound.command, ack, respond, deps);
    case 'lifecycle':
      return await handleLifecycle(inbound.event, isRetry, deps);
    case 'message':
    case 'ignored':
      await ack();
  }
}

async function handleLifecycle(
  event: Lifecycle,
  isRetry: boolean,
  deps: HandlerDeps,
): Promise<void> {
  switch (event.kind) {
    case 'home-opened':
      return await deps.home.show(event.by);
    case 'messages-opened':
      return await deps.pane.greetInMessages(event);
    case 'chat-opened':
      return await deps.pane.greetInChat(event, isRetry);
    case 'session-stopped':
      return await stopSession(event, deps);
    case 'group-changed':
      return await deps.desk.groupChanged({ team: deps.identity.team, group: event.group });
  }
}

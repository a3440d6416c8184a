import type { AuditDraft } from '../../../domain/audit/audit.ts';
import { canonicalJson } from '../../../domain/json/json.ts';
import type { Effects } from '../../../domain/ports/store.ts';
import { checkpointKey, putCheckpoint } from '../checkpoints.ts';
import { addOutboxMessages } from '../outbox.ts';
import { putTurnRecords } from '../turn-records.ts';
import { agendaTaskOf, requestTask } from './agenda-task.ts';
import type { CommitDraft } from './change-records.ts';
import { keyOf } from './read-records.ts';
import { CALL, markOutcomesTaken } from './stored-call.ts';
import { endMessage, MESSAGE } from './stored-message.ts';

/** Keys of the records that effects change. */
export function keysOf({
  checkpoint,
  delivered = [],
  messageEnds = [],
}: Effects): readonly string[] {
  return [
    ...delivered.map((id) => keyOf(CALL, id)),
    ...messageEnds.map(({ id }) => keyOf(MESSAGE, id)),
    ...(checkpoint ? [checkpointKey(checkpoint.thread)] : []),
  ];
}

/** Adds effects to a commit. */
export async function applyEffects(draft: CommitDraft, effects: Effects): Promise<void> {
  const { audit = [], checkpoint, delivered = [], messageEnds = [] } = effects;
  const { cancels = [], turnRecords = [], outboxMessages = [], wakes = [] } = effects;
  appendAudit(draft, audit);
  await draft.load(keysOf(effects));
  for (const { how, id } of messageEnds) await endMessage(draft, id, how);
  await markOutcomesTaken(draft, delivered);
  await putTurnRecords(draft, turnRecords);
  if (checkpoint) await putCheckpoint(draft, checkpoint);
  await addOutboxMessages(draft, outboxMessages);
  requestTask(draft, wakes);
  for (const key of cancels) draft.task({ ...agendaTaskOf(key), isCalledOff: true });
}

/** Adds audit entries to a commit. */
export function appendAudit(draft: CommitDraft, drafts: readonly AuditDraft[]): void {
  draft.audit(
    drafts.map(({ actor, at, detail, event, subject }) =>
      canonicalJson({ at, event, subject, actor, detail }),
    ),
  );
}

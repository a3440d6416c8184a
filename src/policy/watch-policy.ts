/**
 * The policy file in force: loaded at the start, reloaded when it changes. Polls time and size
 * every few seconds, because mounted file systems lose change notifications.
 */
import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AuditDraft } from '../domain/audit/audit.ts';
import type { LoadedPolicy } from '../domain/policy/policy.ts';
import type { NameDirectory } from '../domain/policy/policy-routes.ts';
import type { Cancel, Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import type { Audit } from '../domain/ports/store.ts';
import type { KnownNames } from './file/read-rules.ts';
import { loadPolicy, type OpenedPolicy } from './load-policy.ts';
import { formatPolicyProblem, PolicyFileError } from './policy-problem.ts';

export interface PolicyWatchDeps {
  /** Absolute path. */
  readonly path: string;
  /** Explains why the file must not be at a path, links resolved. Called at each load. */
  readonly problemsOfPlace: (path: string) => readonly string[];
  readonly names: NameDirectory;
  /** The existing tools and agents, read at each load. Rules for others get a warning. */
  readonly known: () => Promise<KnownNames>;
  readonly audit: Pick<Audit, 'append'>;
  /** Called after a change of rules, and retried until it resolves. (Default: no call.) */
  readonly onChange?: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The policy in force, while its file is watched. */
export interface PolicyWatch {
  current(): LoadedPolicy;
  stop(): void;
}

const POLL_MS = 3_000;
/** The file may still be in the middle of a write. */
const SETTLE_MS = 500;
/** The log has the full text. */
const MAX_WHY = 2_000;
/** Delay after a failure, e.g. a failed name lookup in Slack. */
const RETRY_MS = 30_000;

/**
 * Loads, audits and logs the policy, then watches its file. Rejects with a `PolicyFileError` if it
 * can't be used.
 */
export async function watchPolicy(deps: PolicyWatchDeps): Promise<PolicyWatch> {
  const { path, audit, clock, log } = deps;
  const file = basename(path);
  const fingerprint = await fingerprintOf(path);
  let current = await loadPolicy(path, deps);
  let isChangePending = false;

  const entry = (event: string, detail: AuditDraft['detail']): AuditDraft => ({
    at: clock.now(),
    event,
    subject: 'policy',
    actor: 'countersign',
    detail: { file, ...detail },
  });

  async function apply(next: OpenedPolicy): Promise<void> {
    if (next.hash !== current.hash) {
      await audit.append([entry('policy.change', { before: current.hash, after: next.hash })]);
      current = next;
      isChangePending = true;
      logLoadedPolicy(next, file, log);
    }
    if (isChangePending) await deps.onChange?.();
    isChangePending = false;
  }

  async function rejectPolicyFile(error: PolicyFileError): Promise<void> {
    log.error(
      { policy: current.hash },
      `The policy was not changed; the old one stays in force. ${error.message}`,
    );
    await audit.append([
      entry('policy.refused', { kept: current.hash, why: error.message.slice(0, MAX_WHY) }),
    ]);
  }

  async function load(): Promise<void> {
    try {
      await apply(await loadPolicy(path, deps));
    } catch (error) {
      if (!(error instanceof PolicyFileError)) throw error;
      await rejectPolicyFile(error);
    }
  }

  await audit.append([entry('policy.load', { policy: current.hash })]);
  logLoadedPolicy(current, file, log);
  const stop = pollFile(deps, fingerprint, load);
  return { current: () => current, stop };
}

/** Calls back when the file has changed and then stays the same for a moment, until cancelled. */
function pollFile(
  { path, clock, log }: PolicyWatchDeps,
  fingerprint: string,
  onChange: () => Promise<void>,
): Cancel {
  /** Fingerprint of the file last handled, and of the latest one seen. */
  let handled = fingerprint;
  let seen = fingerprint;
  let cancel: Cancel = () => {};
  let isStopped = false;

  /** Checks for changes and returns when to check again (ms). */
  async function check(): Promise<number> {
    const now = await fingerprintOf(path);
    if (now === handled) return POLL_MS;
    if (now !== seen) {
      seen = now;
      return SETTLE_MS;
    }
    await onChange();
    handled = now;
    return POLL_MS;
  }

  function checkIn(ms: number): void {
    if (isStopped) return;
    cancel = clock.schedule(clock.now() + ms, () => {
      check().then(checkIn, (error: unknown) => {
        log.error(
          { err: error },
          'The policy file has changed but can’t be loaded now; the old rules stay in force.',
        );
        checkIn(RETRY_MS);
      });
    });
  }

  checkIn(POLL_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}

/** Changes with the file's content and link target; constant for a missing file. */
async function fingerprintOf(path: string): Promise<string> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    return `${ino}:${mtimeMs}:${size}:${await realpath(path)}`;
  } catch {
    return 'no file';
  }
}

function logLoadedPolicy(opened: OpenedPolicy, file: string, log: Log): void {
  const { hash, names, policy, warnings } = opened;
  for (const warning of warnings) log.warn({ policy: hash }, formatPolicyProblem(file, warning));
  if (policy.onError === 'run') {
    log.warn(
      { policy: hash },
      `${file} sets onPolicyError: run. If the condition of a rule that asks can’t be evaluated, the call runs without approval.`,
    );
  }
  if (policy.slackMayLoosen) {
    log.warn(
      { policy: hash },
      `${file} sets slackMayLoosen: true. Routes that admins set in Slack override its rules.`,
    );
  }
  log.info(
    { policy: hash, rules: policy.rules.length, names: Object.fromEntries(names) },
    `The policy in ${file} is in force.`,
  );
}

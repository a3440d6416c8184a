/**
 * The policy file as it holds: read at the start, and again when it changes. Its time and size are
 * looked at every few seconds, since notifications of file systems are lost on mounted ones.
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
  /** Absolute. */
  readonly path: string;
  /** Says why it must not lie where it does, links followed; asked at each reading. */
  readonly problemsOfPlace: (path: string) => readonly string[];
  readonly names: NameDirectory;
  /** What there is, asked at each reading: rules for anything else are warned of. */
  readonly known: () => Promise<KnownNames>;
  readonly audit: Pick<Audit, 'append'>;
  /** Called after other rules hold, again until it has resolved. (Default: nobody is told.) */
  readonly onChange?: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The policy that holds, while its file is watched. */
export interface PolicyWatch {
  current(): LoadedPolicy;
  stop(): void;
}

const LOOK_EVERY_MS = 3_000;
/** Whoever writes the file may not be done. */
const SETTLED_AFTER_MS = 500;
/** The log has it whole. */
const MAX_WHY = 2_000;
/** When Slack does not say what a name is. */
const TRY_AGAIN_MS = 30_000;

/** Reads the policy, audits and logs it, and watches the file from then on; rejects with a `PolicyFileError` when it can't be used. */
export async function watchPolicy(deps: PolicyWatchDeps): Promise<PolicyWatch> {
  const { path, audit, clock, log } = deps;
  const file = basename(path);
  /** What was read or refused last, and what was seen since. */
  let known = await fingerprintOf(path);
  let seen = known;
  let current = await loadPolicy(path, deps);
  let cancel: Cancel = () => {};
  let isStopped = false;
  let isUntold = false;

  const entry = (event: string, detail: AuditDraft['detail']): AuditDraft => ({
    at: clock.now(),
    event,
    subject: 'policy',
    actor: 'countersign',
    detail: { file, ...detail },
  });

  async function take(next: OpenedPolicy): Promise<void> {
    if (next.hash !== current.hash) {
      await audit.append([entry('policy.change', { before: current.hash, after: next.hash })]);
      current = next;
      isUntold = true;
      logLoadedPolicy(next, file, log);
    }
    if (isUntold) await deps.onChange?.();
    isUntold = false;
  }

  async function rejectPolicyFile(error: PolicyFileError): Promise<void> {
    log.error(
      { policy: current.hash },
      `The policy was not changed; the old one holds. ${error.message}`,
    );
    await audit.append([
      entry('policy.refused', { kept: current.hash, why: error.message.slice(0, MAX_WHY) }),
    ]);
  }

  /** Resolves with when to look again. */
  async function checkFile(): Promise<number> {
    const now = await fingerprintOf(path);
    if (now === known) return LOOK_EVERY_MS;
    if (now !== seen) {
      seen = now;
      return SETTLED_AFTER_MS;
    }
    try {
      await take(await loadPolicy(path, deps));
    } catch (error) {
      if (!(error instanceof PolicyFileError)) throw error;
      await rejectPolicyFile(error);
    }
    known = now;
    return LOOK_EVERY_MS;
  }

  function lookIn(ms: number): void {
    cancel = clock.schedule(clock.now() + ms, () => {
      checkFile().then(lookAgainIn, (error: unknown) => {
        log.error(
          { err: error },
          'The policy file has changed and can’t be read now; the old rules hold.',
        );
        lookAgainIn(TRY_AGAIN_MS);
      });
    });
  }

  function lookAgainIn(ms: number): void {
    if (!isStopped) lookIn(ms);
  }

  await audit.append([entry('policy.load', { policy: current.hash })]);
  logLoadedPolicy(current, file, log);
  lookIn(LOOK_EVERY_MS);
  return {
    current: () => current,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/** What changes with the file, and with where links lead to; the same words for a file that is not there. */
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
      `${file} says onPolicyError: run. Where the condition of a rule that asks can’t be answered, the call runs unasked.`,
    );
  }
  if (policy.slackMayLoosen) {
    log.warn(
      { policy: hash },
      `${file} says slackMayLoosen: true. Routes that admins set in Slack win over its rules.`,
    );
  }
  log.info(
    { policy: hash, rules: policy.rules.length, names: Object.fromEntries(names) },
    `The policy of ${file} holds.`,
  );
}

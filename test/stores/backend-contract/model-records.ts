/** The record store as a plain model in memory: backends are compared with it. */
import type {
  AuditRow,
  Commit,
  Committed,
  Fence,
  FoundRecord,
  Hold,
  Leased,
  Page,
  Records,
  StoredRecord,
  Task,
  TaskChange,
  TaskState,
} from '../../../src/stores/records.ts';

interface ModelTask {
  due: number | undefined;
  again: number | undefined;
  isTaken: boolean;
  tries: number;
  deaths: number;
}

const NEW_TASK: ModelTask = {
  due: undefined,
  again: undefined,
  isTaken: false,
  tries: 0,
  deaths: 0,
};

/** A synchronous model; its tokens count from 1. */
export class ModelRecords {
  readonly #records = new Map<string, StoredRecord>();
  readonly #entries = new Map<string, Set<string>>();
  readonly #units = new Map<string, Map<string, ModelTask>>();
  readonly #leases = new Map<string, { token: number; until: number }>();
  readonly #done = new Map<string, Committed>();
  #audit: AuditRow[] = [];
  #seq = 0;
  #token = 0;

  get(keys: readonly string[]): readonly StoredRecord[] {
    return keys.map((key) => this.#records.get(key) ?? { key, revision: 0, document: '' });
  }

  range({
    after,
    isBackwards = false,
    limit,
    partition,
    prefix = '',
  }: Page): readonly FoundRecord[] {
    const all = [...(this.#entries.get(partition) ?? [])].sort(byBytes);
    const ordered = isBackwards ? all.reverse() : all;
    const rest = ordered.filter((at) => {
      if (!at.startsWith(prefix)) return false;
      if (after === undefined) return true;
      return isBackwards ? byBytes(at, after) < 0 : byBytes(at, after) > 0;
    });
    return rest.slice(0, limit).map((at) => {
      const [record] = this.get([at.slice(at.indexOf(' ') + 1)]);
      return { at, ...(record as StoredRecord) };
    });
  }

  count(partitions: readonly string[]): readonly number[] {
    return partitions.map((each) => this.#entries.get(each)?.size ?? 0);
  }

  commit(commit: Commit): Committed {
    const { audit = [], fences = [], held, records = [], releases, tasks = [], trimAudit } = commit;
    const known = this.#done.get(commit.id);
    if (known) return known;
    const stale = fences.find((fence) => !this.isHeld(fence));
    if (stale) return { kind: 'stale', unit: stale.unit };
    const newer = records.filter((change) => {
      const [now] = this.get([change.key]);
      return now?.revision !== ('expects' in change ? change.expects : change.replaces);
    });
    if (newer.length > 0) return { kind: 'conflict', newer: this.get(newer.map(({ key }) => key)) };
    for (const change of records) this.#put(change);
    const own = held?.units.filter((unit) => this.isHeld(unit)) ?? [];
    const done = own.flatMap(({ done: ids, unit }) => ids.map((id) => ({ unit, id })));
    const again = done.filter(
      ({ id, unit }) => this.#units.get(unit)?.get(id)?.again !== undefined,
    );
    for (const each of done) this.#change({ ...each, isDone: true });
    for (const change of tasks) this.#change(change);
    const asked = tasks.filter((change) => 'askedFor' in change);
    const wanted = [...again, ...asked];
    const handedOut = own.length === 0 ? [] : this.#handOutAsked(wanted, own, held?.now ?? 0);
    for (const entry of audit) this.#audit.push({ seq: ++this.#seq, entry });
    if (trimAudit !== undefined) this.#audit = this.#audit.filter(({ seq }) => seq > trimAudit);
    if (releases) for (const fence of fences) this.release(fence);
    const auditSeq = audit.length > 0 ? this.#seq : 0;
    const answer = { kind: 'done', auditSeq, handedOut } as const;
    this.#done.set(commit.id, answer);
    return answer;
  }

  isHeld({ token, unit }: Fence): boolean {
    return this.#leases.get(unit)?.token === token;
  }

  lease(now: number, leaseMs: number, want: Parameters<Records['lease']>[2]): Leased {
    const isFree = (unit: string) => (this.#leases.get(unit)?.until ?? now) <= now;
    const units =
      'unit' in want ? [want.unit].filter(isFree) : this.#ready(now).slice(0, want.most);
    const holds: Hold[] = [];
    for (const unit of units) {
      if (this.#leases.has(unit)) this.#takeBack(unit, 1, now);
      this.#leases.delete(unit);
      const tasks = this.#handOut(unit, now);
      if (tasks.length === 0 && !('unit' in want)) continue;
      this.#token += 1;
      this.#leases.set(unit, { token: this.#token, until: now + leaseMs });
      const next = this.#nextOf(unit);
      holds.push({ unit, token: this.#token, until: now + leaseMs, tasks, ...next });
    }
    const times = [...this.#readyAt().values()];
    return { holds, ...(times.length > 0 && { next: Math.min(...times) }) };
  }

  renew(holds: readonly Fence[], now: number, leaseMs: number): readonly Hold[] {
    return holds.flatMap((hold) => {
      if (!this.isHeld(hold)) return [];
      const until = now + leaseMs;
      this.#leases.set(hold.unit, { token: hold.token, until });
      const tasks = this.#handOut(hold.unit, now);
      return [{ unit: hold.unit, token: hold.token, until, tasks, ...this.#nextOf(hold.unit) }];
    });
  }

  release(hold: Fence): void {
    if (!this.isHeld(hold)) return;
    this.#takeBack(hold.unit, 0, undefined);
    this.#leases.delete(hold.unit);
  }

  stateOf(tasks: readonly Pick<Task, 'unit' | 'id'>[]): readonly (TaskState | undefined)[] {
    return tasks.map(({ id, unit }) => {
      const task = this.#units.get(unit)?.get(id);
      if (!task) return undefined;
      if (task.isTaken) return 'handed-out';
      return task.due === undefined ? 'parked' : 'due';
    });
  }

  audit(from: number, limit: number): readonly AuditRow[] {
    return this.#audit.filter(({ seq }) => seq >= from).slice(0, limit);
  }

  newestAudit(): number {
    return this.#seq;
  }

  /** When each unit can be leased. */
  #readyAt(): ReadonlyMap<string, number> {
    const times = new Map<string, number>();
    for (const [unit, tasks] of this.#units) {
      const free = [...tasks.values()].filter(({ isTaken }) => !isTaken);
      const due = free.flatMap((task) => (task.due === undefined ? [] : [task.due]));
      if (due.length > 0) times.set(unit, Math.min(...due));
    }
    for (const [unit, { until }] of this.#leases) times.set(unit, until);
    return times;
  }

  #ready(now: number): readonly string[] {
    const due = [...this.#readyAt()].filter(([, at]) => at <= now);
    return due.sort(([a, atA], [b, atB]) => atA - atB || byBytes(a, b)).map(([unit]) => unit);
  }

  #takeBack(unit: string, died: number, now: number | undefined): void {
    for (const task of this.#units.get(unit)?.values() ?? []) {
      if (!task.isTaken) continue;
      task.isTaken = false;
      const { again = Number.POSITIVE_INFINITY, due = 0 } = task;
      if (again <= (now ?? due)) task.again = undefined;
      task.tries += died;
      task.deaths += died;
    }
  }

  #handOut(unit: string, now: number): readonly Task[] {
    const due = [...(this.#units.get(unit) ?? [])].flatMap(([id, task]) =>
      !task.isTaken && task.due !== undefined && task.due <= now
        ? [{ id, task, due: task.due }]
        : [],
    );
    due.sort((a, b) => a.due - b.due || byBytes(a.id, b.id));
    return due.map(({ id, task, due: at }) => {
      task.isTaken = true;
      return { unit, id, due: at, tries: task.tries, deaths: task.deaths };
    });
  }

  /** The tasks that a commit adds to units of its holder. */
  #handOutAsked(
    asked: readonly Pick<Task, 'unit' | 'id'>[],
    own: readonly Fence[],
    now: number,
  ): readonly Task[] {
    return asked.flatMap(({ id, unit }) => {
      const task = this.#units.get(unit)?.get(id);
      const isOwn = own.some((each) => each.unit === unit);
      if (!isOwn || !task || task.isTaken || task.due === undefined || task.due > now) return [];
      task.isTaken = true;
      return [{ unit, id, due: task.due, tries: task.tries, deaths: task.deaths }];
    });
  }

  #nextOf(unit: string): Pick<Hold, 'next'> {
    const free = [...(this.#units.get(unit)?.values() ?? [])].filter(({ isTaken }) => !isTaken);
    const due = free.flatMap((task) => (task.due === undefined ? [] : [task.due]));
    return due.length > 0 ? { next: Math.min(...due) } : {};
  }

  #put(change: NonNullable<Commit['records']>[number]): void {
    if ('expects' in change) return;
    const { key, replaces } = change;
    for (const { partition, sort } of change.drop ?? []) {
      this.#entries.get(partition)?.delete(`${sort} ${key}`);
    }
    if ('isDeletion' in change) {
      this.#records.delete(key);
      return;
    }
    this.#records.set(key, { key, revision: replaces + 1, document: change.document });
    for (const { partition, sort } of change.add ?? []) {
      const entries = this.#entries.get(partition) ?? new Set();
      this.#entries.set(partition, entries.add(`${sort} ${key}`));
    }
  }

  #change(change: TaskChange): void {
    const tasks = this.#units.get(change.unit) ?? new Map<string, ModelTask>();
    this.#units.set(change.unit, tasks);
    const task = tasks.get(change.id);
    if ('askedFor' in change) {
      const asked = task ?? { ...NEW_TASK };
      tasks.set(change.id, asked);
      if (asked.isTaken) asked.again = earlier(asked.again, change.askedFor);
      else if (asked.due === undefined) Object.assign(asked, NEW_TASK, { due: change.askedFor });
      else asked.due = earlier(asked.due, change.askedFor);
    } else if ('isCalledOff' in change) {
      if (task && !task.isTaken) tasks.delete(change.id);
    } else if (task && 'putOffTo' in change) {
      const due = earlier(task.again, change.putOffTo);
      const tries = task.tries + Number(change.isFailure);
      Object.assign(task, { due, again: undefined, isTaken: false, tries, deaths: 0 });
    } else if (task?.again !== undefined) {
      Object.assign(task, NEW_TASK, { due: task.again });
    } else if ('isDone' in change) {
      if (task?.isTaken) tasks.delete(change.id);
    } else if (task) {
      Object.assign(task, { due: undefined, isTaken: false, tries: task.tries + 1, deaths: 0 });
    }
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

import { useEffect, useRef, useState } from 'preact/hooks';
import type { JournalEntry } from '../../workspace/workspace-port.ts';
import { useUi } from '../state/ui.ts';
import { Pre } from '../text/text-view.tsx';

const KEPT = 300;

const DIRECTIONS: Readonly<Record<JournalEntry['kind'], string>> = {
  event: '→ app',
  interaction: '→ app',
  command: '→ app',
  api: '→ Slack',
  response_url: '→ Slack',
  socket: '↔',
};

/** Shows the journal, newest first. Entries unfold to their payloads and answers. */
export function JournalView({ revision }: { revision: number }) {
  const entries = useJournal(revision);
  const [filter, setFilter] = useState<'all' | 'problems' | JournalEntry['kind']>('all');
  const shown = entries.filter(
    (entry) => filter === 'all' || entry.kind === filter || (filter === 'problems' && isBad(entry)),
  );
  return (
    <>
      <label class="filter">
        Show
        <select
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value as typeof filter)}
        >
          <option value="all">everything</option>
          <option value="problems">problems</option>
          <option value="event">events</option>
          <option value="interaction">interactions</option>
          <option value="command">commands</option>
          <option value="api">API calls</option>
          <option value="response_url">response URLs</option>
          <option value="socket">socket</option>
        </select>
      </label>
      {shown.length === 0 && (
        <p class="muted">
          Nothing yet. Each payload to the app and each of its API calls will appear here.
        </p>
      )}
      {shown.toReversed().map((entry) => (
        <Entry key={entry.seq} entry={entry} />
      ))}
    </>
  );
}

function isBad(entry: JournalEntry): boolean {
  return entry.problem !== undefined || entry.ok === false;
}

function Entry({ entry }: { entry: JournalEntry }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class={isBad(entry) ? 'entry-row bad' : 'entry-row'}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="seq">{entry.seq}</span>
        <span class={`kind ${entry.kind}`}>{DIRECTIONS[entry.kind]}</span>
        <span class="entry-name">{entry.name}</span>
        {entry.answer === undefined && entry.problem === undefined && <small>waiting</small>}
      </summary>
      {entry.problem !== undefined && <p class="error">{entry.problem}</p>}
      {isOpen && (
        <>
          <h4>Request</h4>
          <Pre>{pretty(entry.request)}</Pre>
          {entry.answer !== undefined && (
            <>
              <h4>Answer</h4>
              <Pre>{pretty(entry.answer)}</Pre>
            </>
          )}
        </>
      )}
    </details>
  );
}

function pretty(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  return JSON.stringify(value, null, 2) ?? '';
}

/** Fetches new entries, and refetches those without an answer. */
function useJournal(revision: number): readonly JournalEntry[] {
  const { backend, attempt } = useUi();
  const [entries, setEntries] = useState<readonly JournalEntry[]>([]);
  const known = useRef<readonly JournalEntry[]>([]);
  useEffect(() => {
    void attempt(backend.journal(endedUpTo(known.current))).then((fresh) => {
      if (fresh === undefined) return;
      const bySeq = new Map([...known.current, ...fresh].map((entry) => [entry.seq, entry]));
      const sorted = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
      known.current = sorted.slice(-KEPT);
      setEntries(known.current);
    });
  }, [revision, backend]);
  return entries;
}

function endedUpTo(entries: readonly JournalEntry[]): number {
  const waiting = entries.find(
    (entry) => entry.answer === undefined && entry.problem === undefined,
  );
  return waiting === undefined ? (entries.at(-1)?.seq ?? 0) : waiting.seq - 1;
}

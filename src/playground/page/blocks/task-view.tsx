import type { PlanBlock, TaskCardBlock } from '@slack/types';
import { ExternalLink } from '../text/inline-view.tsx';
import { RichText } from '../text/rich-text.tsx';

const SIGNS = { pending: '○', in_progress: '◐', complete: '✓', error: '✕' } as const;
const WORDS = {
  pending: 'Pending',
  in_progress: 'In progress',
  complete: 'Complete',
  error: 'Failed',
} as const;

/** Shows one step of the agent's work. */
export function TaskCard({ task }: { task: TaskCardBlock }) {
  return (
    <div class={`task-card is-${task.status}`}>
      <div class="task-title">
        <span role="img" aria-label={WORDS[task.status]}>
          {SIGNS[task.status]}
        </span>{' '}
        {task.title}
      </div>
      {task.details && <RichText block={task.details} />}
      {task.output && <RichText block={task.output} />}
      {task.sources?.map((source) => (
        <ExternalLink key={source.url} url={source.url}>
          {source.text}
        </ExternalLink>
      ))}
    </div>
  );
}

/** Shows the agent's plan with its steps. */
export function PlanView({ plan }: { plan: PlanBlock }) {
  return (
    <div class="plan">
      <strong>{plan.title}</strong>
      {(plan.tasks ?? []).filter(isTaskCard).map((task) => (
        <TaskCard key={task.task_id} task={task} />
      ))}
    </div>
  );
}

function isTaskCard(task: TaskCardBlock | Record<string, unknown>): task is TaskCardBlock {
  return 'title' in task && 'status' in task;
}

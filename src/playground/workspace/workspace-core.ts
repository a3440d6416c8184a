import type { Clock } from '../../domain/ports/clock.ts';
import type { SlackBackend } from './backend/slack-backend.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { MessageStore } from './state/message-store.ts';
import type { SlackDirectory } from './state/slack-directory.ts';
import type { WorkspaceFaults } from './workspace-faults.ts';
import type { WorkspaceJournal } from './workspace-journal.ts';
import type { AppForm } from './workspace-port.ts';

/** The shared dependencies of the workspace's parts. */
export interface WorkspaceCore {
  readonly form: AppForm;
  readonly clock: Clock;
  readonly nextTs: () => string;
  readonly url: string;
  readonly teamName: string;
  /** The organization of the workspace, if any. */
  readonly enterprise: string | undefined;
  readonly backend: SlackBackend;
  readonly directory: SlackDirectory;
  readonly messages: MessageStore;
  readonly journal: WorkspaceJournal;
  readonly faults: WorkspaceFaults;
  readonly delivery: Delivery;
}

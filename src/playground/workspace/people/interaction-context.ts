import type { ResponseUrls } from '../api/response-urls.ts';
import type { Json } from '../json-value.ts';
import type { DirectoryMember } from '../state/slack-directory.ts';
import type { TriggerIds } from '../views/trigger-ids.ts';
import type { WorkspaceViews } from '../views/views.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { IDENTITY } from '../workspace-seed.ts';

/** The dependencies of people's actions. */
export interface PeopleContext {
  readonly core: WorkspaceCore;
  readonly views: WorkspaceViews;
  readonly triggers: TriggerIds;
  readonly responseUrls: ResponseUrls;
  readonly toasts: Toasts;
}

/** Short notices that Slack's client shows to one person. */
export interface Toasts {
  show(userId: string, text: string): void;
  of(userId: string): readonly { at: number; text: string }[];
}

export function createToasts(now: () => number, changed: () => void): Toasts {
  const shown: { userId: string; at: number; text: string }[] = [];
  return {
    show: (userId, text) => {
      shown.push({ userId, at: now(), text });
      changed();
    },
    of: (userId) =>
      shown.filter((toast) => toast.userId === userId).map(({ at, text }) => ({ at, text })),
  };
}

/** Returns the fields of every interaction payload about the actor and the app. */
export function describeActor(member: DirectoryMember, enterprise: string | undefined): Json {
  const { team, app } = IDENTITY;
  const isOfOrganization = member.teamId === team.id || member.teams !== undefined;
  const hasEnterprise = enterprise !== undefined && isOfOrganization;
  return {
    user: { id: member.id, username: member.name, name: member.name, team_id: member.teamId },
    api_app_id: app.id,
    token: 'playground-verification-token',
    team: { id: team.id, domain: team.domain },
    enterprise: hasEnterprise ? { id: enterprise, name: 'Playground' } : null,
    is_enterprise_install: false,
  };
}

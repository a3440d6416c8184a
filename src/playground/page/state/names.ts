import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Channel, Member, WorkspaceView } from '../../workspace/workspace-port.ts';
import type { PageStart } from './page-start.ts';

/** What the viewer sees, and the page's settings. */
export interface PageContext {
  readonly workspace: WorkspaceView;
  readonly start: PageStart;
}

/** Provides the context to all components. */
export const PageContextProvider = createContext<PageContext | undefined>(undefined);

/** Returns the page's context. Throws outside of it. */
export function usePageContext(): PageContext {
  const context = useContext(PageContextProvider);
  if (context === undefined)
    throw new Error('This component needs a PageContextProvider around it.');
  return context;
}

/** Returns the member with this id, if the viewer can see them. */
export function findMember(workspace: WorkspaceView, id: string | undefined): Member | undefined {
  return workspace.members.find((member) => member.id === id);
}

/** Returns the name shown beside a person's messages. */
export function displayName(member: Member | undefined, fallback: string): string {
  if (member === undefined) return fallback;
  return member.realName || member.name;
}

/** Returns the name of a channel, or for a DM that of the other member. */
export function channelTitle(channel: Channel, context: PageContext): string {
  if (channel.kind !== 'im') return channel.name;
  if (isAppDirectMessage(channel, context)) return context.start.app.name;
  const other = channel.members.find((id) => id !== context.workspace.me.id) ?? channel.name;
  return displayName(findMember(context.workspace, other), other);
}

/** Returns whether the channel is the viewer's DM with the app. */
export function isAppDirectMessage(channel: Channel, context: PageContext): boolean {
  const appUser = context.start.app.botUserId;
  return channel.kind === 'im' && (channel.members.includes(appUser) || channel.name === appUser);
}

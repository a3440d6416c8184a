import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Channel, Member, WorkspaceView } from '../../workspace/workspace-port.ts';
import type { PageStart } from './page-start.ts';

/** What the viewer sees and the page's settings, for whatever has to write a name. */
export interface PageContext {
  readonly sight: WorkspaceView;
  readonly start: PageStart;
}

/** Hands the scene to everything below the app. */
export const PageContextProvider = createContext<PageContext | undefined>(undefined);

/** The scene around a component; throws outside of one. */
export function usePageContext(): PageContext {
  const scene = useContext(PageContextProvider);
  if (scene === undefined) throw new Error('This component needs a SceneContext around it.');
  return scene;
}

/** The member with this id, where the viewer can see them. */
export function findMember(sight: WorkspaceView, id: string | undefined): Member | undefined {
  return sight.members.find((member) => member.id === id);
}

/** The name that stands beside a person's messages. */
export function displayName(member: Member | undefined, fallback: string): string {
  if (member === undefined) return fallback;
  return member.realName || member.name;
}

/** What a channel is called: its name, or for a DM the other member's. */
export function channelTitle(channel: Channel, scene: PageContext): string {
  if (channel.kind !== 'im') return channel.name;
  if (isAppDirectMessage(channel, scene)) return scene.start.app.name;
  const other = channel.members.find((id) => id !== scene.sight.me.id) ?? channel.name;
  return displayName(findMember(scene.sight, other), other);
}

/** True for the viewer's conversation with the app. */
export function isAppDirectMessage(channel: Channel, scene: PageContext): boolean {
  const appUser = scene.start.app.botUserId;
  return channel.kind === 'im' && (channel.members.includes(appUser) || channel.name === appUser);
}

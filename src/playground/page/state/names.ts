import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Channel, Member, Sight } from '../../workspace/workspace-port.ts';
import type { PageStart } from './page-start.ts';

/** What the viewer sees and the page's settings, for whatever has to write a name. */
export interface Scene {
  readonly sight: Sight;
  readonly start: PageStart;
}

/** Hands the scene to everything below the app. */
export const SceneContext = createContext<Scene | undefined>(undefined);

/** The scene around a component; throws outside of one. */
export function useScene(): Scene {
  const scene = useContext(SceneContext);
  if (scene === undefined) throw new Error('This component needs a SceneContext around it.');
  return scene;
}

/** The member with this id, where the viewer can see them. */
export function findMember(sight: Sight, id: string | undefined): Member | undefined {
  return sight.members.find((member) => member.id === id);
}

/** The name that stands beside a person's messages. */
export function displayName(member: Member | undefined, fallback: string): string {
  if (member === undefined) return fallback;
  return member.realName || member.name;
}

/** What a channel is called: its name, or for a DM the other member's. */
export function channelTitle(channel: Channel, scene: Scene): string {
  if (channel.kind !== 'im') return channel.name;
  if (isAppDirectMessage(channel, scene)) return scene.start.app.name;
  const other = channel.members.find((id) => id !== scene.sight.me.id) ?? channel.name;
  return displayName(findMember(scene.sight, other), other);
}

/** True for the viewer's conversation with the app. */
export function isAppDirectMessage(channel: Channel, scene: Scene): boolean {
  const appUser = scene.start.app.botUserId;
  return channel.kind === 'im' && (channel.members.includes(appUser) || channel.name === appUser);
}

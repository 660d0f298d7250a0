import { checkFields, type OptionCheck, type OptionShape } from './check-options.js';
import { checkArray } from './option-checks.js';
import { checkOneOf, checkText } from './store-input.js';

/** The kinds of actor, as the audit tables name them (AUD-1). */
export const actorTypes = ['admin_user', 'service_account', 'system'] as const;

/** What an actor is: a person who administers, another service, or a part of this one. */
export type ActorType = (typeof actorTypes)[number];

/** Who calls a verb that a person can call (OPS-1). The host has authenticated it; nothing here does. */
export interface Actor {
  type: ActorType;
  /** A person's or an account's name, 1 to 512 characters: what dead letters and audit events keep. */
  id: string;
  /** The host's names of what it may do; an `AccessPolicy` reads them. */
  roles?: readonly string[] | undefined;
}

/** What is stored of an actor: roles are of the moment. */
export type ActorName = Pick<Actor, 'type' | 'id'>;

/** The actor of the pipeline itself: its workers read and write artifacts as this one. */
export const pipelineActor: Actor = { type: 'system', id: 'criticizer' };

/** True for the pipeline itself, false for a person, another service, or another part of the host. */
export function isPipeline({ type, id }: Actor): boolean {
  return type === pipelineActor.type && id === pipelineActor.id;
}

const checkId: OptionCheck = (option, value) => {
  checkText(option, value);
  if (String(value).trim() === '') throw new TypeError(`${option}: expected a name`);
};
const checkRoles: OptionCheck = (option, value) => {
  if (value === undefined) return;
  checkArray(option, value);
  for (const role of value as readonly unknown[]) checkText(`${option}: a role`, role);
};
const actorShape: OptionShape<Actor> = {
  type: (option, value) => checkOneOf(option, value, actorTypes),
  id: checkId,
  roles: checkRoles,
};

/** Throws `TypeError`, naming the option, unless `value` is an actor: a known type, an id, roles as texts. */
export const checkActor: OptionCheck = (option, value) => {
  if (value === undefined) throw new TypeError(`${option}: expected an actor, an object with type, id and roles`);
  checkFields<Actor>(option, value, actorShape);
};

/** The part of an actor that is stored. */
export function nameActor({ type, id }: Actor): ActorName {
  return { type, id };
}

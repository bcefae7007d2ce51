import { Global, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import 'reflect-metadata';
import { ColloquyError } from '../errors';
import type { Tx } from '../uow';
import {
  type CollectEventName,
  type EventName,
  HANDLERS,
  type PayloadOf,
  type ResultOf,
  type SingleEventName,
  type TopicEventName,
} from './event-types';

/**
 * Domain events, handled synchronously in the transaction in which they are published. The handlers
 * are found at boot (DomainEventsModule); a command or a test adds its own with `register`.
 */
@Injectable()
export class DomainEvents {
  /** By event name, or by `name topic` for events by topic. */
  private readonly handlers = new Map<string, Handler[]>();

  /**
   * Adds the methods of `owner` that are marked with @DomainEventHandler. The same object twice is the same as
   * once. Throws EventHandlerError for a second handler where one is allowed.
   */
  register(owner: object): void {
    for (const method of methodsOf(owner)) {
      for (const registration of registrationsOf(method)) this.add(owner, method, registration);
    }
  }

  /** Runs the event's handlers one after the other. Throws what they throw. */
  async publish<Name extends Exclude<EventName, TopicEventName>>(
    tx: Tx,
    event: Name,
    payload: PayloadOf<Name>,
  ): Promise<void> {
    if (HANDLERS[event] === 'one') {
      await this.single(event)(tx, payload);
      return;
    }
    for (const { handle } of this.handlers.get(event) ?? []) {
      const handled = handle(tx, payload);
      // Most handlers only register work for after the commit.
      if (handled !== undefined) await handled;
    }
  }

  /** Runs the topic's handler. Throws EventHandlerError when there is none (see `handles`). */
  async publishTo<Name extends TopicEventName>(
    tx: Tx,
    event: Name,
    topic: string,
    payload: PayloadOf<Name>,
  ): Promise<void> {
    await this.single(keyOf(event, topic))(tx, payload);
  }

  /** The result of the event's only handler. */
  async ask<Name extends SingleEventName>(
    tx: Tx,
    event: Name,
    payload: PayloadOf<Name>,
  ): Promise<ResultOf<Name>> {
    return (await this.single(event)(tx, payload)) as ResultOf<Name>;
  }

  /** The results of all handlers, in their order. */
  async collect<Name extends CollectEventName>(
    tx: Tx,
    event: Name,
    payload: PayloadOf<Name>,
  ): Promise<ResultOf<Name>[]> {
    const results: ResultOf<Name>[] = [];
    for (const { handle } of this.handlers.get(event) ?? []) {
      results.push((await handle(tx, payload)) as ResultOf<Name>);
    }
    return results;
  }

  handles(event: TopicEventName, topic: string): boolean {
    return this.handlers.has(keyOf(event, topic));
  }

  /**
   * Throws EventHandlerError when an event of the kind One, Ask or Many has no handler; topics are not
   * checked. For the whole application.
   */
  assertComplete(): void {
    const missing = (Object.keys(HANDLERS) as EventName[]).filter(
      (event) => ['one', 'many'].includes(HANDLERS[event]) && !this.handlers.has(event),
    );
    if (missing.length === 0) return;
    throw new EventHandlerError(`no handler is registered for: ${missing.join(', ')}`);
  }

  private add(owner: object, method: Handle<EventName>, registration: Registration): void {
    const { event, topic, order = 100 } = registration;
    const isByTopic = HANDLERS[event] === 'topic';
    if (isByTopic !== (topic !== undefined)) {
      throw new EventHandlerError(
        `@DomainEventHandler("${event}") ${isByTopic ? 'must name a topic' : 'must not name a topic'}`,
      );
    }
    const key = keyOf(event, topic);
    const known = this.handlers.get(key) ?? [];
    if (known.some((handler) => handler.owner === owner)) return;
    const isSingle = isByTopic || HANDLERS[event] === 'one';
    const isSameClass = known.some((handler) => handler.owner.constructor === owner.constructor);
    if (isSameClass || (isSingle && known.length > 0)) {
      throw new EventHandlerError(
        `"${key}" already has a handler; ${owner.constructor.name} cannot be a second one`,
      );
    }
    const handle: Handle<EventName> = (tx, payload) => method.call(owner, tx, payload);
    const handlers = [...known, { owner, order, handle }];
    this.handlers.set(
      key,
      handlers.sort((a, b) => a.order - b.order),
    );
  }

  private single(key: string): Handle<EventName> {
    const [handler] = this.handlers.get(key) ?? [];
    if (handler === undefined) {
      throw new EventHandlerError(`no handler is registered for the event "${key}"`);
    }
    return handler.handle;
  }
}

interface Handler {
  readonly owner: object;
  readonly order: number;
  readonly handle: Handle<EventName>;
}

type Handle<Name extends EventName> = (
  tx: Tx,
  payload: PayloadOf<Name>,
) => Promise<ResultOf<Name>> | ResultOf<Name>;

const REGISTRATIONS = Symbol('OnEvent');

function registrationsOf(method: object): readonly Registration[] {
  return (Reflect.getMetadata(REGISTRATIONS, method) ?? []) as readonly Registration[];
}

interface Registration extends HandlerOptions {
  readonly event: EventName;
}

interface HandlerOptions {
  /** Handlers of one event run from the lowest to the highest; 100 when it is not given. */
  readonly order?: number;
  /** Of an event by topic: which topic this method handles. May be written several times. */
  readonly topic?: string;
}

/** An event has no handler, or more than it may have: the modules are put together wrongly. */
export class EventHandlerError extends ColloquyError {
  readonly code = 'event_handler';
  readonly retryable = false;
}

function keyOf(event: EventName, topic: string | undefined): string {
  return topic === undefined ? event : `${event} ${topic}`;
}

/** The methods of an object and of the classes above it. */
function methodsOf(owner: object): Handle<EventName>[] {
  const methods: Handle<EventName>[] = [];
  let prototype: unknown = Object.getPrototypeOf(owner);
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value === 'function') methods.push(value as Handle<EventName>);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return methods;
}

/** The bus of domain events, with the handlers of every provider of the application. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [DomainEvents], exports: [DomainEvents] })
export class DomainEventsModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly bus: DomainEvents,
  ) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders()) {
      if (typeof instance === 'object' && instance !== null) this.bus.register(instance as object);
    }
  }
}

/** A handler of `attention.replayed` refuses: the work cannot be done again. It says why. */
export class AttentionNotReplayableError extends ColloquyError {
  readonly code = 'attention_not_replayable';
  readonly retryable = false;
}

/**
 * Marks a provider's method `(tx, payload)` as a handler of a domain event. It runs in the
 * publisher's transaction, so its writes are stored with the publisher's or not at all; what it
 * throws rolls everything back. It calls no peer. For work after the commit it uses
 * `tx.afterCommit`.
 */
export function DomainEventHandler<Name extends EventName>(
  event: Name,
  options: HandlerOptions = {},
): <Method extends Handle<Name>>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void {
  return (_target, _method, { value }) => {
    if (value === undefined) throw new TypeError('put @DomainEventHandler on a method');
    const earlier = registrationsOf(value);
    Reflect.defineMetadata(REGISTRATIONS, [...earlier, { event, ...options }], value);
  };
}

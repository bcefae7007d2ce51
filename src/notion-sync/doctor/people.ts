import { Injectable } from '@nestjs/common';
import { NotionApi, type PeopleBatch, type Person } from '../api/notion-api';
import type { NotionCalls } from '../api/notion-calls';
import { notionIdOf } from '../board/board-schema';

/** Finds people of the workspace by what an operator enters. */
@Injectable()
export class People {
  constructor(private readonly api: NotionApi) {}

  /** The people with exactly this name or e-mail address; an id is accepted as it is. */
  async find(calls: NotionCalls, wanted: string): Promise<Person[]> {
    const id = notionIdOf(wanted);
    if (id !== null) return [{ id, name: null, email: null }];
    const found: Person[] = [];
    for (let cursor: string | null = null; ;) {
      const from: string | null = cursor;
      const batch: PeopleBatch = await calls.make((holder) => this.api.listPeople(holder, from));
      found.push(...batch.people.filter((person) => isCalled(person, wanted)));
      if (batch.nextCursor === null) return found;
      cursor = batch.nextCursor;
    }
  }
}

function isCalled({ name, email }: Person, wanted: string): boolean {
  const text = wanted.toLowerCase();
  return [name, email].some((own) => own?.toLowerCase() === text);
}

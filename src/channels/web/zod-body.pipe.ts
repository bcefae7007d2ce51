import type { PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { InvalidBodyError } from '../../common/http';

/** Reads a body by its schema; a refusal names the fields and what was expected, never a value. */
export class ZodBody<T> implements PipeTransform<unknown, T> {
  constructor(private readonly schema: z.ZodType<T>) {}

  transform(value: unknown): T {
    const read = this.schema.safeParse(value);
    if (read.success) return read.data;
    const fields = read.error.issues
      .slice(0, 20)
      .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
    throw new InvalidBodyError(fields.join('; '));
  }
}

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Settings } from '../config';
import { ProblemError } from './problem';

const BEARER = /^Bearer +(\S+)$/i;

/** Lets through whoever holds ADMIN_TOKEN. Without one the admin API does not exist. */
@Injectable()
export class AdminTokenGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): true {
    const { token } = this.settings.admin;
    if (token === '') {
      throw new ProblemError(404, 'admin_api_off', 'The admin API is off: set ADMIN_TOKEN.');
    }
    const http = context.switchToHttp();
    const given = BEARER.exec(http.getRequest<FastifyRequest>().headers.authorization ?? '')?.[1];
    if (given !== undefined && isSame(given, token)) return true;
    void http.getResponse<FastifyReply>().header('www-authenticate', 'Bearer');
    throw new ProblemError(401, 'admin_token_wrong', 'This needs the admin token as a bearer.');
  }
}

/** Compares digests, so that the time taken tells neither the length nor a common beginning. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

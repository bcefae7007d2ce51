import { Injectable } from '@nestjs/common';
import { FlushHandlerMissingError } from './errors';
import type { FlushHandler } from './flush-handler';

/** Where the handler of a higher layer is plugged in, before anything can be due. */
@Injectable()
export class FlushPort {
  private connected: FlushHandler | null = null;

  connect(handler: FlushHandler): void {
    this.connected = handler;
  }

  /** Throws FlushHandlerMissingError. */
  get handler(): FlushHandler {
    if (this.connected === null) {
      throw new FlushHandlerMissingError('no FlushHandler is connected to the buffer');
    }
    return this.connected;
  }
}

import { Injectable } from '@nestjs/common';

/**
 * Tells the worker of this process that a queue has work. It only saves the wait for the next poll:
 * a wake-up that is lost costs a fraction of a second.
 */
@Injectable()
export class WakeSignal {
  private listener: (queue: string) => void = () => undefined;

  onWake(listener: (queue: string) => void): void {
    this.listener = listener;
  }

  wake(queue: string): void {
    this.listener(queue);
  }
}

// Rounds in which main sends to each worker and each answers, one or ten messages at a time.
import { measure } from '../lib/measure.mjs';
import { finish, Peer } from '../lib/runtime.mjs';
import { values } from '../lib/values.mjs';

for (const workers of [1, 8]) {
  const peers = Array.from({ length: workers }, () => new Peer('echo'));
  for (const name of ['string 64', 'flat object']) {
    const value = values[name]();
    for (const sends of [1, 10]) {
      await measure(`broadcast to ${workers} x${sends} ${name}`, (count) => new Promise((resolve) => {
        let rounds = count;
        let left = 0;
        const round = () => {
          left = workers * sends;
          for (const peer of peers) for (let i = 0; i < sends; i++) peer.post(value);
        };
        for (const peer of peers) {
          peer.receive = () => {
            if (--left > 0) return;
            if (--rounds === 0) resolve();
            else round();
          };
        }
        round();
      }));
    }
  }
  for (const peer of peers) peer.end();
}
await finish();

# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# PyTorch: training with a loader of two processes
# imports torch
# derives model.pt from samples.bin
cat >train.py <<'END'
import torch
torch.manual_seed(1)
torch.set_num_threads(2)
data = torch.frombuffer(bytearray(open("samples.bin", "rb").read()), dtype=torch.float32).reshape(-1, 5)
loader = torch.utils.data.DataLoader(data, batch_size=16, num_workers=2)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
step = torch.optim.SGD(model.parameters(), 0.05)
for _ in range(3):
    for batch in loader:
        loss = ((model(batch[:, :4]) - batch[:, 4:]) ** 2).mean()
        step.zero_grad()
        loss.backward()
        step.step()
torch.save(model.state_dict(), "model.pt")
print(float(loss))
END
/usr/bin/python3 -c 'import array, random; random.seed(3)
array.array("f", (random.random() for _ in range(1280))).tofile(open("samples.bin", "wb"))'
/usr/bin/python3 train.py

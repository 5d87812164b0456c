# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# bwa, samtools and bcftools in pipes
# needs bwa samtools bcftools
# derives calls.txt from ref.fa reads.fq
/usr/bin/python3 - <<'END'
import random
random.seed(4)
genome = [random.choice("ACGT") for _ in range(20000)]
open("ref.fa", "w").write(">one\n" + "".join(genome) + "\n")
for at in range(500, 20000, 991):
    genome[at] = {"A": "C", "C": "G", "G": "T", "T": "A"}[genome[at]]
with open("reads.fq", "w") as f:
    for n in range(3000):
        at = random.randrange(19900)
        f.write(f"@r{n}\n{''.join(genome[at:at + 100])}\n+\n{'I' * 100}\n")
END
bwa index ref.fa 2>index.log
bwa mem -t 2 ref.fa reads.fq 2>mem.log | samtools sort -@ 2 -o sorted.bam -
samtools index sorted.bam
samtools faidx ref.fa
bcftools mpileup -f ref.fa sorted.bam 2>pileup.log | bcftools call -mv -Ov -o calls.vcf
grep -v "^##" calls.vcf >calls.txt
wc -l <calls.txt
